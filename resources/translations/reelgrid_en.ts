<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>QObject</name>
    <message numerus="yes">
        <source>%n more vote(s)</source>
        <translation>
            <numerusform>%n more vote</numerusform>
            <numerusform>%n more votes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n vote(s). No difference counts half for each of the two. The interval is Wilson’s; one that leaves 50 % out is a preference. Who stops as soon as one shows finds it too often: decide on the number of votes before.</source>
        <translation>
            <numerusform>%n vote. No difference counts half for each of the two. The interval is Wilson’s; one that leaves 50 % out is a preference. Who stops as soon as one shows finds it too often: decide on the number of votes before.</numerusform>
            <numerusform>%n votes. No difference counts half for each of the two. The interval is Wilson’s; one that leaves 50 % out is a preference. Who stops as soon as one shows finds it too often: decide on the number of votes before.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n vote(s) are of other clips that were at these places: not counted.</source>
        <translation>
            <numerusform>%n vote is of other clips that were at these places: not counted.</numerusform>
            <numerusform>%n votes are of other clips that were at these places: not counted.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::BlindTest</name>
    <message numerus="yes">
        <source>%n vote(s).</source>
        <translation>
            <numerusform>%n vote.</numerusform>
            <numerusform>%n votes.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>As they stand, the least certain backend needs %n more.</source>
        <translation>
            <numerusform>As they stand, the least certain backend needs %n more.</numerusform>
            <numerusform>As they stand, the least certain backend needs %n more.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::MachineList</name>
    <message numerus="yes">
        <source>Up to %n render(s) at once from now on.</source>
        <translation>
            <numerusform>Up to %n render at once from now on.</numerusform>
            <numerusform>Up to %n renders at once from now on.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::MainWindow</name>
    <message numerus="yes">
        <source>Blind test: %n clip(s) on show, at least two were needed: open or render more</source>
        <translation>
            <numerusform>Blind test: %n clip on show, at least two were needed: open or render more</numerusform>
            <numerusform>Blind test: %n clips on show, at least two were needed: open or render more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n clip(s) in an unsaved session</source>
        <translation>
            <numerusform>%n clip in an unsaved session</numerusform>
            <numerusform>%n clips in an unsaved session</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::MatrixTable</name>
    <message numerus="yes">
        <source>%n render(s)</source>
        <translation>
            <numerusform>%n render</numerusform>
            <numerusform>%n renders</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n comparison(s)</source>
        <translation>
            <numerusform>%n comparison</numerusform>
            <numerusform>%n comparisons</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::SessionController</name>
    <message numerus="yes">
        <source>%1: %n vote(s) that were saved there from elsewhere are added</source>
        <translation>
            <numerusform>%1: %n vote that was saved there from elsewhere is added</numerusform>
            <numerusform>%1: %n votes that were saved there from elsewhere are added</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::SuiteWindow</name>
    <message numerus="yes">
        <source>%n clip(s)</source>
        <translation>
            <numerusform>%n clip</numerusform>
            <numerusform>%n clips</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n prompt(s)</source>
        <translation>
            <numerusform>%n prompt</numerusform>
            <numerusform>%n prompts</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n failed</source>
        <translation>
            <numerusform>%n failed</numerusform>
            <numerusform>%n failed</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::RankFields</name>
    <message numerus="yes">
        <source>%n processes render each clip; memory is of each</source>
        <translation>
            <numerusform>%n process renders each clip</numerusform>
            <numerusform>%n processes render each clip; memory is of each</numerusform>
        </translation>
    </message>
</context>
</TS>
