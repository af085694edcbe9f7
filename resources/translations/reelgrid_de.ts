<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>Actions</name>
    <message>
        <source>&amp;Open clips or session…</source>
        <translation>Clips oder Sitzung ö&amp;ffnen …</translation>
    </message>
    <message>
        <source>Opens clips beside those on show, or a session in their place</source>
        <translation>Öffnet Clips neben den gezeigten oder eine Sitzung an ihrer Stelle</translation>
    </message>
    <message>
        <source>Open the &amp;demo comparison</source>
        <translation>&amp;Demo-Vergleich öffnen</translation>
    </message>
    <message>
        <source>Shows one prompt rendered by several backends, without rendering</source>
        <translation>Zeigt einen Prompt von mehreren Backends, ohne zu rendern</translation>
    </message>
    <message>
        <source>&amp;Rendered comparisons…</source>
        <translation>Ge&amp;renderte Vergleiche …</translation>
    </message>
    <message>
        <source>Chooses among the comparisons in the results folder</source>
        <translation>Wählt unter den Vergleichen im Ergebnisordner</translation>
    </message>
    <message>
        <source>&amp;Save session</source>
        <translation>Sitzung &amp;speichern</translation>
    </message>
    <message>
        <source>Saves what is on show into its file</source>
        <translation>Speichert das Gezeigte in seine Datei</translation>
    </message>
    <message>
        <source>Save session &amp;as…</source>
        <translation>Sitzung speichern &amp;unter …</translation>
    </message>
    <message>
        <source>Saves what is on show into another file</source>
        <translation>Speichert das Gezeigte in eine andere Datei</translation>
    </message>
    <message>
        <source>Save re&amp;port…</source>
        <translation>&amp;Bericht speichern …</translation>
    </message>
    <message>
        <source>Writes times, quality and votes as one web page</source>
        <translation>Schreibt Zeiten, Qualität und Stimmen als eine Webseite</translation>
    </message>
    <message>
        <source>&amp;Export grid…</source>
        <translation>Raster &amp;exportieren …</translation>
    </message>
    <message>
        <source>Writes the labelled grid as one video</source>
        <translation>Schreibt das beschriftete Raster als ein Video</translation>
    </message>
    <message>
        <source>Save p&amp;icture of the grid…</source>
        <translation>Raster als B&amp;ild speichern …</translation>
    </message>
    <message>
        <source>Writes all tiles as they are on screen as PNG or JPEG</source>
        <translation>Schreibt alle Kacheln, wie sie zu sehen sind, als PNG oder JPEG</translation>
    </message>
    <message>
        <source>Choose &amp;model folder…</source>
        <translation>&amp;Modellordner wählen …</translation>
    </message>
    <message>
        <source>Adds a model in a folder of diffusers’ layout</source>
        <translation>Fügt ein Modell aus einem Ordner im Aufbau von diffusers hinzu</translation>
    </message>
    <message>
        <source>Choose res&amp;ults folder…</source>
        <translation>Er&amp;gebnisordner wählen …</translation>
    </message>
    <message>
        <source>Chooses where new renders go</source>
        <translation>Wählt, wohin neue Renderings kommen</translation>
    </message>
    <message>
        <source>&amp;Close comparison</source>
        <translation>Vergleich s&amp;chließen</translation>
    </message>
    <message>
        <source>Empties the grid; files stay as they are</source>
        <translation>Leert das Raster; Dateien bleiben, wie sie sind</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Beenden</translation>
    </message>
    <message>
        <source>Ends the program</source>
        <translation>Beendet das Programm</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Rückgängig</translation>
    </message>
    <message>
        <source>Takes the last change back</source>
        <translation>Nimmt die letzte Änderung zurück</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>&amp;Wiederherstellen</translation>
    </message>
    <message>
        <source>Makes a change again that was taken back</source>
        <translation>Macht eine zurückgenommene Änderung noch einmal</translation>
    </message>
    <message>
        <source>Re&amp;name clip…</source>
        <translation>Clip &amp;umbenennen …</translation>
    </message>
    <message>
        <source>Gives the selected clip another label</source>
        <translation>Gibt dem gewählten Clip eine andere Beschriftung</translation>
    </message>
    <message>
        <source>Remo&amp;ve clip</source>
        <translation>Clip &amp;entfernen</translation>
    </message>
    <message>
        <source>Takes the selected clip out of the grid; its file stays</source>
        <translation>Nimmt den gewählten Clip aus dem Raster; seine Datei bleibt</translation>
    </message>
    <message>
        <source>Move clip &amp;left</source>
        <translation>Clip nach &amp;links</translation>
    </message>
    <message>
        <source>Moves the selected clip one place towards the first</source>
        <translation>Schiebt den gewählten Clip einen Platz nach vorn</translation>
    </message>
    <message>
        <source>Move clip ri&amp;ght</source>
        <translation>Clip nach rec&amp;hts</translation>
    </message>
    <message>
        <source>Moves the selected clip one place towards the last</source>
        <translation>Schiebt den gewählten Clip einen Platz nach hinten</translation>
    </message>
    <message>
        <source>&amp;Write the prompt</source>
        <translation>&amp;Prompt schreiben</translation>
    </message>
    <message>
        <source>Puts the cursor into the prompt</source>
        <translation>Setzt den Cursor in den Prompt</translation>
    </message>
    <message>
        <source>R&amp;ender the prompt</source>
        <translation>Prompt re&amp;ndern</translation>
    </message>
    <message>
        <source>Renders with every checked backend</source>
        <translation>Rendert mit jedem angekreuzten Backend</translation>
    </message>
    <message>
        <source>&amp;Play or pause</source>
        <translation>&amp;Abspielen oder anhalten</translation>
    </message>
    <message>
        <source>Plays all clips, or pauses</source>
        <translation>Spielt alle Clips ab oder hält an</translation>
    </message>
    <message>
        <source>Play &amp;backwards</source>
        <translation>&amp;Rückwärts abspielen</translation>
    </message>
    <message>
        <source>Plays backwards; again: twice as fast</source>
        <translation>Spielt rückwärts; noch einmal: doppelt so schnell</translation>
    </message>
    <message>
        <source>P&amp;ause</source>
        <translation>A&amp;nhalten</translation>
    </message>
    <message>
        <source>Stops where the playhead is</source>
        <translation>Hält an, wo der Abspielkopf ist</translation>
    </message>
    <message>
        <source>Play &amp;forwards</source>
        <translation>&amp;Vorwärts abspielen</translation>
    </message>
    <message>
        <source>Plays; again: twice as fast</source>
        <translation>Spielt ab; noch einmal: doppelt so schnell</translation>
    </message>
    <message>
        <source>One frame &amp;on</source>
        <translation>Ein Bild &amp;weiter</translation>
    </message>
    <message>
        <source>Shows the next frame</source>
        <translation>Zeigt das nächste Bild</translation>
    </message>
    <message>
        <source>One frame ba&amp;ck</source>
        <translation>Ein Bild &amp;zurück</translation>
    </message>
    <message>
        <source>Shows the frame before</source>
        <translation>Zeigt das Bild davor</translation>
    </message>
    <message>
        <source>Ten frames on</source>
        <translation>Zehn Bilder weiter</translation>
    </message>
    <message>
        <source>Goes ten frames forward</source>
        <translation>Geht zehn Bilder vor</translation>
    </message>
    <message>
        <source>Ten frames back</source>
        <translation>Zehn Bilder zurück</translation>
    </message>
    <message>
        <source>Goes ten frames back</source>
        <translation>Geht zehn Bilder zurück</translation>
    </message>
    <message>
        <source>One second on</source>
        <translation>Eine Sekunde weiter</translation>
    </message>
    <message>
        <source>Goes one second forward</source>
        <translation>Geht eine Sekunde vor</translation>
    </message>
    <message>
        <source>One second back</source>
        <translation>Eine Sekunde zurück</translation>
    </message>
    <message>
        <source>Goes one second back</source>
        <translation>Geht eine Sekunde zurück</translation>
    </message>
    <message>
        <source>Fi&amp;rst frame</source>
        <translation>&amp;Erstes Bild</translation>
    </message>
    <message>
        <source>Goes to the first frame</source>
        <translation>Geht zum ersten Bild</translation>
    </message>
    <message>
        <source>&amp;Last frame</source>
        <translation>&amp;Letztes Bild</translation>
    </message>
    <message>
        <source>Goes to the last frame</source>
        <translation>Geht zum letzten Bild</translation>
    </message>
    <message>
        <source>Mark &amp;in</source>
        <translation>An&amp;fang setzen</translation>
    </message>
    <message>
        <source>The range that repeats begins with this frame</source>
        <translation>Der wiederholte Bereich beginnt mit diesem Bild</translation>
    </message>
    <message>
        <source>Mark ou&amp;t</source>
        <translation>En&amp;de setzen</translation>
    </message>
    <message>
        <source>The range that repeats ends with this frame</source>
        <translation>Der wiederholte Bereich endet mit diesem Bild</translation>
    </message>
    <message>
        <source>Clear in and out</source>
        <translation>Anfang und Ende löschen</translation>
    </message>
    <message>
        <source>Repeats the whole comparison again</source>
        <translation>Wiederholt wieder den ganzen Vergleich</translation>
    </message>
    <message>
        <source>&amp;Repeat</source>
        <translation>W&amp;iederholen</translation>
    </message>
    <message>
        <source>Repeats the whole comparison, or stops at its end</source>
        <translation>Wiederholt den ganzen Vergleich oder hält am Ende an</translation>
    </message>
    <message>
        <source>Slo&amp;wer</source>
        <translation>Lang&amp;samer</translation>
    </message>
    <message>
        <source>Plays a tenth slower</source>
        <translation>Spielt um ein Zehntel langsamer</translation>
    </message>
    <message>
        <source>Fas&amp;ter</source>
        <translation>S&amp;chneller</translation>
    </message>
    <message>
        <source>Plays a tenth faster</source>
        <translation>Spielt um ein Zehntel schneller</translation>
    </message>
    <message>
        <source>&amp;Normal speed</source>
        <translation>N&amp;ormale Geschwindigkeit</translation>
    </message>
    <message>
        <source>Plays at 1×</source>
        <translation>Spielt mit 1×</translation>
    </message>
    <message>
        <source>Select ne&amp;xt tile</source>
        <translation>Nä&amp;chste Kachel wählen</translation>
    </message>
    <message>
        <source>Selects the next tile: rename, move and remove are about it</source>
        <translation>Wählt die nächste Kachel: um sie geht es beim Umbenennen, Verschieben und Entfernen</translation>
    </message>
    <message>
        <source>Select pre&amp;vious tile</source>
        <translation>&amp;Vorige Kachel wählen</translation>
    </message>
    <message>
        <source>Selects the tile before</source>
        <translation>Wählt die Kachel davor</translation>
    </message>
    <message>
        <source>&amp;All tiles, whole pictures</source>
        <translation>&amp;Alle Kacheln, ganze Bilder</translation>
    </message>
    <message>
        <source>Ends full screen, a tile alone and zoom</source>
        <translation>Beendet Vollbild, Einzelkachel und Zoom</translation>
    </message>
    <message>
        <source>Tile 1 alone</source>
        <translation>Kachel 1 allein</translation>
    </message>
    <message>
        <source>Shows one tile; again: all</source>
        <translation>Zeigt eine Kachel; noch einmal: alle</translation>
    </message>
    <message>
        <source>Tile 2 alone</source>
        <translation>Kachel 2 allein</translation>
    </message>
    <message>
        <source>Tile 3 alone</source>
        <translation>Kachel 3 allein</translation>
    </message>
    <message>
        <source>Tile 4 alone</source>
        <translation>Kachel 4 allein</translation>
    </message>
    <message>
        <source>Tile 5 alone</source>
        <translation>Kachel 5 allein</translation>
    </message>
    <message>
        <source>Tile 6 alone</source>
        <translation>Kachel 6 allein</translation>
    </message>
    <message>
        <source>Tile 7 alone</source>
        <translation>Kachel 7 allein</translation>
    </message>
    <message>
        <source>Tile 8 alone</source>
        <translation>Kachel 8 allein</translation>
    </message>
    <message>
        <source>Tile 9 alone</source>
        <translation>Kachel 9 allein</translation>
    </message>
    <message>
        <source>&amp;More columns</source>
        <translation>&amp;Mehr Spalten</translation>
    </message>
    <message>
        <source>Puts more tiles into a row</source>
        <translation>Stellt mehr Kacheln in eine Reihe</translation>
    </message>
    <message>
        <source>F&amp;ewer columns</source>
        <translation>&amp;Weniger Spalten</translation>
    </message>
    <message>
        <source>Puts fewer tiles into a row</source>
        <translation>Stellt weniger Kacheln in eine Reihe</translation>
    </message>
    <message>
        <source>Columns by &amp;themselves</source>
        <translation>Spalten von &amp;selbst</translation>
    </message>
    <message>
        <source>As many columns as make the grid square</source>
        <translation>So viele Spalten, dass das Raster quadratisch wird</translation>
    </message>
    <message>
        <source>&amp;Side panel</source>
        <translation>&amp;Seitenleiste</translation>
    </message>
    <message>
        <source>Shows prompt and jobs</source>
        <translation>Zeigt Prompt und Aufträge</translation>
    </message>
    <message>
        <source>&amp;Charts</source>
        <translation>&amp;Diagramme</translation>
    </message>
    <message>
        <source>Shows times and metrics</source>
        <translation>Zeigt Zeiten und Metriken</translation>
    </message>
    <message>
        <source>Frame &amp;numbers</source>
        <translation>Bild&amp;nummern</translation>
    </message>
    <message>
        <source>Shows in every tile which frame it is</source>
        <translation>Zeigt in jeder Kachel, welches Bild es ist</translation>
    </message>
    <message>
        <source>Sharp &amp;pixels</source>
        <translation>Scharfe &amp;Pixel</translation>
    </message>
    <message>
        <source>Shows enlarged pixels as squares</source>
        <translation>Zeigt vergrößerte Pixel als Quadrate</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>&amp;Dunkel</translation>
    </message>
    <message>
        <source>Dark colours</source>
        <translation>Dunkle Farben</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>&amp;Hell</translation>
    </message>
    <message>
        <source>Light colours</source>
        <translation>Helle Farben</translation>
    </message>
    <message>
        <source>As the &amp;desktop</source>
        <translation>Wie die Arbeits&amp;umgebung</translation>
    </message>
    <message>
        <source>Dark or light, as the desktop is</source>
        <translation>Dunkel oder hell wie die Arbeitsumgebung</translation>
    </message>
    <message>
        <source>Lar&amp;ger text</source>
        <translation>&amp;Größere Schrift</translation>
    </message>
    <message>
        <source>Text a tenth larger, to twice the size</source>
        <translation>Schrift um ein Zehntel größer, bis zur doppelten Größe</translation>
    </message>
    <message>
        <source>S&amp;maller text</source>
        <translation>&amp;Kleinere Schrift</translation>
    </message>
    <message>
        <source>Text a tenth smaller</source>
        <translation>Schrift um ein Zehntel kleiner</translation>
    </message>
    <message>
        <source>N&amp;ormal text</source>
        <translation>&amp;Normale Schrift</translation>
    </message>
    <message>
        <source>Text in its normal size</source>
        <translation>Schrift in normaler Größe</translation>
    </message>
    <message>
        <source>The desktop’s language, from the next start on</source>
        <translation>Die Sprache der Arbeitsumgebung, ab dem nächsten Start</translation>
    </message>
    <message>
        <source>English, from the next start on</source>
        <translation>Englisch, ab dem nächsten Start</translation>
    </message>
    <message>
        <source>German, from the next start on</source>
        <translation>Deutsch, ab dem nächsten Start</translation>
    </message>
    <message>
        <source>&amp;Full screen</source>
        <translation>&amp;Vollbild</translation>
    </message>
    <message>
        <source>The grid alone on the whole screen, or back</source>
        <translation>Das Raster allein auf dem ganzen Bildschirm, oder zurück</translation>
    </message>
    <message>
        <source>Pres&amp;ent</source>
        <translation>Vor&amp;führen</translation>
    </message>
    <message>
        <source>Full screen, repeating, with captions for an audience</source>
        <translation>Vollbild, wiederholt, mit Texten für ein Publikum</translation>
    </message>
    <message>
        <source>&amp;Blind test</source>
        <translation>&amp;Blindtest</translation>
    </message>
    <message>
        <source>Two unlabelled tiles at a time: which one looks better?</source>
        <translation>Je zwei unbeschriftete Kacheln: Welche sieht besser aus?</translation>
    </message>
    <message>
        <source>Blind test’s &amp;results</source>
        <translation>&amp;Ergebnisse des Blindtests</translation>
    </message>
    <message>
        <source>How often each backend was preferred, and how sure that is</source>
        <translation>Wie oft jedes Backend bevorzugt wurde, und wie sicher das ist</translation>
    </message>
    <message>
        <source>&amp;Forget all votes</source>
        <translation>Alle Stimmen &amp;vergessen</translation>
    </message>
    <message>
        <source>Begins the blind test anew; can be undone</source>
        <translation>Beginnt den Blindtest neu; lässt sich rückgängig machen</translation>
    </message>
    <message>
        <source>Command &amp;palette…</source>
        <translation>&amp;Befehlspalette …</translation>
    </message>
    <message>
        <source>Finds any command by its name</source>
        <translation>Findet jeden Befehl nach seinem Namen</translation>
    </message>
    <message>
        <source>&amp;Keys</source>
        <translation>&amp;Tasten</translation>
    </message>
    <message>
        <source>Lists every key</source>
        <translation>Listet alle Tasten auf</translation>
    </message>
    <message>
        <source>&amp;About ReelGrid</source>
        <translation>&amp;Über ReelGrid</translation>
    </message>
    <message>
        <source>Version and licences</source>
        <translation>Version und Lizenzen</translation>
    </message>
</context>
<context>
    <name>Captions</name>
    <message>
        <source>denoises %1× as fast as %2</source>
        <translation>entrauscht %1× so schnell wie %2</translation>
    </message>
    <message>
        <source>%1 dB PSNR from it</source>
        <translation>%1 dB PSNR davon entfernt</translation>
    </message>
    <message>
        <source>One prompt, one seed, one model: only the attention kernel differs</source>
        <translation>Ein Prompt, ein Seed, ein Modell: Nur der Attention-Kernel ist ein anderer</translation>
    </message>
    <message>
        <source>denoises in %1 s</source>
        <translation>entrauscht in %1 s</translation>
    </message>
</context>
<context>
    <name>QObject</name>
    <message>
        <source>On the CPU: </source>
        <translation>Auf der CPU: </translation>
    </message>
    <message>
        <source>95 % interval</source>
        <translation>95-%-Intervall</translation>
    </message>
    <message numerus="yes">
        <source>%n more vote(s)</source>
        <translation>
            <numerusform>noch %n Stimme</numerusform>
            <numerusform>noch %n Stimmen</numerusform>
        </translation>
    </message>
    <message>
        <source>preferred</source>
        <translation>bevorzugt</translation>
    </message>
    <message>
        <source>not preferred</source>
        <translation>nicht bevorzugt</translation>
    </message>
    <message>
        <source>no difference that matters</source>
        <translation>kein Unterschied von Belang</translation>
    </message>
    <message>
        <source>Blind test’s results</source>
        <translation>Ergebnisse des Blindtests</translation>
    </message>
    <message>
        <source>clip</source>
        <translation>Clip</translation>
    </message>
    <message>
        <source>share</source>
        <translation>Anteil</translation>
    </message>
    <message>
        <source>still needed</source>
        <translation>noch nötig</translation>
    </message>
    <message>
        <source> (+ %1 undecided)</source>
        <translation> (+ %1 unentschieden)</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>%1 (%2 to %3)</source>
        <translation>%1 (%2 bis %3)</translation>
    </message>
    <message numerus="yes">
        <source>%n vote(s). No difference counts half for each of the two. The interval is Wilson’s; one that leaves 50 % out is a preference. Who stops as soon as one shows finds it too often: decide on the number of votes before.</source>
        <translation>
            <numerusform>%n Stimme. Kein Unterschied zählt für beide halb. Das Intervall ist das von Wilson; eines ohne die 50 % ist eine Bevorzugung. Wer aufhört, sobald sich eine zeigt, findet sie zu oft: die Zahl der Stimmen vorher festlegen.</numerusform>
            <numerusform>%n Stimmen. Kein Unterschied zählt für beide halb. Das Intervall ist das von Wilson; eines ohne die 50 % ist eine Bevorzugung. Wer aufhört, sobald sich eine zeigt, findet sie zu oft: die Zahl der Stimmen vorher festlegen.</numerusform>
        </translation>
    </message>
    <message>
        <source>Mouse</source>
        <translation>Maus</translation>
    </message>
    <message>
        <source>wheel</source>
        <translation>Rad</translation>
    </message>
    <message>
        <source>Zoom all pictures together</source>
        <translation>Alle Bilder gemeinsam zoomen</translation>
    </message>
    <message>
        <source>drag</source>
        <translation>Ziehen</translation>
    </message>
    <message>
        <source>Move all pictures together</source>
        <translation>Alle Bilder gemeinsam verschieben</translation>
    </message>
    <message>
        <source>click</source>
        <translation>Klick</translation>
    </message>
    <message>
        <source>Select a tile</source>
        <translation>Kachel wählen</translation>
    </message>
    <message>
        <source>double click</source>
        <translation>Doppelklick</translation>
    </message>
    <message>
        <source>Show a tile alone, or all again</source>
        <translation>Eine Kachel allein zeigen, oder wieder alle</translation>
    </message>
    <message>
        <source>click a chart</source>
        <translation>Klick ins Diagramm</translation>
    </message>
    <message>
        <source>Go to that time</source>
        <translation>Zu dieser Zeit gehen</translation>
    </message>
    <message>
        <source>drop files</source>
        <translation>Dateien ablegen</translation>
    </message>
    <message>
        <source>Open clips or a session</source>
        <translation>Clips oder Sitzung öffnen</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
    <message>
        <source>Clips and sessions (%1 *.json);;All files (*)</source>
        <translation>Clips und Sitzungen (%1 *.json);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Export grid</source>
        <translation>Raster exportieren</translation>
    </message>
    <message>
        <source>Save session</source>
        <translation>Sitzung speichern</translation>
    </message>
    <message>
        <source>Sessions (*.json)</source>
        <translation>Sitzungen (*.json)</translation>
    </message>
    <message>
        <source>Save report</source>
        <translation>Bericht speichern</translation>
    </message>
    <message>
        <source>Web pages (*.html)</source>
        <translation>Webseiten (*.html)</translation>
    </message>
    <message>
        <source>Save picture of the grid</source>
        <translation>Raster als Bild speichern</translation>
    </message>
    <message>
        <source>Pictures (*.png *.jpg)</source>
        <translation>Bilder (*.png *.jpg)</translation>
    </message>
    <message>
        <source>Choose an attention policy</source>
        <translation>Attention-Regeln wählen</translation>
    </message>
    <message>
        <source>Attention policies (*.json);;All files (*)</source>
        <translation>Attention-Regeln (*.json);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>About ReelGrid</source>
        <translation>Über ReelGrid</translation>
    </message>
    <message>
        <source>&lt;b&gt;ReelGrid %1&lt;/b&gt;&lt;p&gt;Compares renders of one prompt with several attention kernels.&lt;/p&gt;&lt;p&gt;The sources are under the Apache License 2.0. This program, with QCustomPlot and FFmpeg, is distributed under the GNU General Public License, version 3 or later.&lt;/p&gt;</source>
        <translation>&lt;b&gt;ReelGrid %1&lt;/b&gt;&lt;p&gt;Vergleicht Renderings eines Prompts mit mehreren Attention-Kerneln.&lt;/p&gt;&lt;p&gt;Die Quellen stehen unter der Apache-Lizenz 2.0. Dieses Programm wird, mit QCustomPlot und FFmpeg, unter der GNU General Public License, Version 3 oder später, verbreitet.&lt;/p&gt;</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>startet</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>wartet</translation>
    </message>
    <message>
        <source>cancelling</source>
        <translation>bricht ab</translation>
    </message>
    <message>
        <source>done in %1 s</source>
        <translation>fertig in %1 s</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>%1 and %2 more</source>
        <translation>%1 und %2 weitere</translation>
    </message>
    <message>
        <source>%1 against %2</source>
        <translation>%1 gegen %2</translation>
    </message>
    <message>
        <source>Per-frame curves appear with the first measured clip.</source>
        <translation>Kurven je Bild erscheinen mit dem ersten gemessenen Clip.</translation>
    </message>
    <message>
        <source>%1 appears once the %2 clip and another of the same size are here.</source>
        <translation>%1 erscheint, sobald der %2-Clip und ein weiterer derselben Größe da sind.</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>und %1 weitere</translation>
    </message>
    <message>
        <source>The rest: the checked backends</source>
        <translation>Der Rest: die angekreuzten Backends</translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::BlindTest</name>
    <message numerus="yes">
        <source>%n vote(s).</source>
        <translation>
            <numerusform>%n Stimme.</numerusform>
            <numerusform>%n Stimmen.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>As they stand, the least certain backend needs %n more.</source>
        <translation>
            <numerusform>Nach ihrem Stand braucht das unsicherste Backend noch %n.</numerusform>
            <numerusform>Nach ihrem Stand braucht das unsicherste Backend noch %n.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::BlindTestView</name>
    <message>
        <source>Which one looks better?</source>
        <translation>Welche sieht besser aus?</translation>
    </message>
    <message>
        <source>Blind test: left is A, right is B</source>
        <translation>Blindtest: links ist A, rechts ist B</translation>
    </message>
    <message>
        <source>A looks better</source>
        <translation>A sieht besser aus</translation>
    </message>
    <message>
        <source>← or 1</source>
        <translation>← oder 1</translation>
    </message>
    <message>
        <source>No difference</source>
        <translation>Kein Unterschied</translation>
    </message>
    <message>
        <source>↓ or 0</source>
        <translation>↓ oder 0</translation>
    </message>
    <message>
        <source>B looks better</source>
        <translation>B sieht besser aus</translation>
    </message>
    <message>
        <source>→ or 2</source>
        <translation>→ oder 2</translation>
    </message>
    <message>
        <source>Take back (Backspace)</source>
        <translation>Zurücknehmen (Rücktaste)</translation>
    </message>
    <message>
        <source>End and reveal (Esc)</source>
        <translation>Beenden und auflösen (Esc)</translation>
    </message>
    <message>
        <source>A</source>
        <translation>A</translation>
    </message>
    <message>
        <source>B</source>
        <translation>B</translation>
    </message>
    <message>
        <source>can’t be shown</source>
        <translation>kann nicht gezeigt werden</translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::CommandPalette</name>
    <message>
        <source>Command palette</source>
        <translation>Befehlspalette</translation>
    </message>
    <message>
        <source>Type what you want to do</source>
        <translation>Eingeben, was geschehen soll</translation>
    </message>
    <message>
        <source>Words of a command</source>
        <translation>Wörter eines Befehls</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>Befehle</translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::EditorFiles</name>
    <message>
        <source>Choose a model folder (diffusers layout)</source>
        <translation>Modellordner wählen (Aufbau von diffusers)</translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::EmptyState</name>
    <message>
        <source>See what an attention kernel costs, and what it buys</source>
        <translation>Sehen, was ein Attention-Kernel kostet und was er bringt</translation>
    </message>
    <message>
        <source>Write a prompt on the left and render it: each checked backend gives a clip with the same seed.
They play here side by side, frame by frame in step, with their times and metrics below.
Or drop clips, or a session file, anywhere in this window.</source>
        <translation>Links einen Prompt schreiben und rendern: Jedes angekreuzte Backend liefert einen Clip mit demselben Seed.
Hier laufen sie nebeneinander, Bild für Bild im Gleichschritt, darunter ihre Zeiten und Metriken.
Oder Clips oder eine Sitzungsdatei irgendwo in dieses Fenster ziehen.</translation>
    </message>
    <message>
        <source>Render the prompt</source>
        <translation>Prompt rendern</translation>
    </message>
    <message>
        <source>Open the demo comparison</source>
        <translation>Demo-Vergleich öffnen</translation>
    </message>
    <message>
        <source>One prompt by several backends, rendered already: opens at once</source>
        <translation>Ein Prompt von mehreren Backends, schon gerendert: öffnet sich sofort</translation>
    </message>
    <message>
        <source>Open clips or a session…</source>
        <translation>Clips oder Sitzung öffnen …</translation>
    </message>
    <message>
        <source>RECENT COMPARISONS</source>
        <translation>LETZTE VERGLEICHE</translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::ExportJobs</name>
    <message>
        <source>exporting</source>
        <translation>exportiert</translation>
    </message>
    <message>
        <source>exporting %1 / %2</source>
        <translation>exportiert %1 / %2</translation>
    </message>
    <message>
        <source>exported, %1 frames</source>
        <translation>exportiert, %1 Bilder</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>Export grid: 0 clips on show, at least one was needed</source>
        <translation>Raster exportieren: 0 Clips werden gezeigt, mindestens einer ist nötig</translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::MainWindow</name>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>Open recen&amp;t</source>
        <translation>Zule&amp;tzt geöffnet</translation>
    </message>
    <message>
        <source>Nothing was opened yet</source>
        <translation>Noch nichts geöffnet</translation>
    </message>
    <message>
        <source>&amp;Forget these</source>
        <translation>Diese &amp;vergessen</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Bearbeiten</translation>
    </message>
    <message>
        <source>&amp;Play</source>
        <translation>&amp;Wiedergabe</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>T&amp;ile alone</source>
        <translation>&amp;Eine Kachel</translation>
    </message>
    <message>
        <source>Co&amp;lumns</source>
        <translation>Spa&amp;lten</translation>
    </message>
    <message>
        <source>T&amp;heme</source>
        <translation>&amp;Farben</translation>
    </message>
    <message>
        <source>Te&amp;xt size</source>
        <translation>Schrift&amp;größe</translation>
    </message>
    <message>
        <source>Langua&amp;ge</source>
        <translation>Sp&amp;rache</translation>
    </message>
    <message>
        <source>&amp;Compare</source>
        <translation>&amp;Vergleich</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>All renders have ended</source>
        <translation>Alle Renderings sind beendet</translation>
    </message>
    <message>
        <source>The grid is exported</source>
        <translation>Das Raster ist exportiert</translation>
    </message>
    <message>
        <source>%1: can&apos;t be written as a PNG or JPEG picture</source>
        <translation>%1: lässt sich nicht als PNG- oder JPEG-Bild schreiben</translation>
    </message>
    <message>
        <source>%1: only local files can be opened</source>
        <translation>%1: nur lokale Dateien lassen sich öffnen</translation>
    </message>
    <message>
        <source>Where renders go</source>
        <translation>Wohin Renderings kommen</translation>
    </message>
    <message>
        <source>Rename clip</source>
        <translation>Clip umbenennen</translation>
    </message>
    <message>
        <source>Label of %1 (empty: its backend’s name)</source>
        <translation>Beschriftung von %1 (leer: Name des Backends)</translation>
    </message>
    <message numerus="yes">
        <source>Blind test: %n clip(s) on show, at least two were needed: open or render more</source>
        <translation>
            <numerusform>Blindtest: %n Clip wird gezeigt, mindestens zwei sind nötig: weitere öffnen oder rendern</numerusform>
            <numerusform>Blindtest: %n Clips werden gezeigt, mindestens zwei sind nötig: weitere öffnen oder rendern</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n clip(s) in an unsaved session</source>
        <translation>
            <numerusform>%n Clip in einer ungespeicherten Sitzung</numerusform>
            <numerusform>%n Clips in einer ungespeicherten Sitzung</numerusform>
        </translation>
    </message>
    <message>
        <source>unsaved changes to %1</source>
        <translation>ungespeicherte Änderungen an %1</translation>
    </message>
    <message>
        <source>ReelGrid ended unexpectedly and kept %1.</source>
        <translation>ReelGrid endete unerwartet und hat aufgehoben: %1.</translation>
    </message>
    <message>
        <source>When ReelGrid was closed there were %1.</source>
        <translation>Beim Schließen von ReelGrid gab es: %1.</translation>
    </message>
    <message>
        <source>Go on with it</source>
        <translation>Damit weitermachen</translation>
    </message>
    <message>
        <source>Forget it</source>
        <translation>Vergessen</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Rückgängig</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>&amp;Wiederherstellen</translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::RecentList</name>
    <message>
        <source>Recent comparisons</source>
        <translation>Letzte Vergleiche</translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::SessionController</name>
    <message>
        <source>Recent comparisons</source>
        <translation>Letzte Vergleiche</translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::SessionFiles</name>
    <message>
        <source>and %1 more</source>
        <translation>und %1 weitere</translation>
    </message>
    <message>
        <source>Open session</source>
        <translation>Sitzung öffnen</translation>
    </message>
    <message>
        <source>This session names clips outside its own folder. Open them too?</source>
        <translation>Diese Sitzung nennt Clips außerhalb ihres eigenen Ordners. Auch diese öffnen?</translation>
    </message>
    <message>
        <source>Open all</source>
        <translation>Alle öffnen</translation>
    </message>
    <message>
        <source>Only those inside</source>
        <translation>Nur die darin</translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::SessionHistory</name>
    <message>
        <source>add clip</source>
        <translation>Clip hinzufügen</translation>
    </message>
    <message>
        <source>remove clip</source>
        <translation>Clip entfernen</translation>
    </message>
    <message>
        <source>move clip</source>
        <translation>Clip verschieben</translation>
    </message>
    <message>
        <source>rename clip</source>
        <translation>Clip umbenennen</translation>
    </message>
    <message>
        <source>clip’s offset</source>
        <translation>Versatz des Clips</translation>
    </message>
    <message>
        <source>close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>vote</source>
        <translation>Stimme</translation>
    </message>
    <message>
        <source>view</source>
        <translation>Ansicht</translation>
    </message>
    <message>
        <source>charts</source>
        <translation>Diagramme</translation>
    </message>
    <message>
        <source>request</source>
        <translation>Auftrag</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::AdvancedFields</name>
    <message>
        <source>Scheduler</source>
        <translation>Scheduler</translation>
    </message>
    <message>
        <source>model&apos;s</source>
        <translation>des Modells</translation>
    </message>
    <message>
        <source>Flow shift</source>
        <translation>Flow-Shift</translation>
    </message>
    <message>
        <source>Frames per second</source>
        <translation>Bilder je Sekunde</translation>
    </message>
    <message>
        <source>Number format</source>
        <translation>Zahlenformat</translation>
    </message>
    <message>
        <source>fastest</source>
        <translation>schnellstes</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>automatisch</translation>
    </message>
    <message>
        <source>Number format of the VAE</source>
        <translation>Zahlenformat des VAE</translation>
    </message>
    <message>
        <source>Products of fp32</source>
        <translation>Produkte in fp32</translation>
    </message>
    <message>
        <source>Generator of the noise</source>
        <translation>Generator des Rauschens</translation>
    </message>
    <message>
        <source>Repetitions</source>
        <translation>Wiederholungen</translation>
    </message>
    <message>
        <source>Advanced</source>
        <translation>Erweitert</translation>
    </message>
    <message>
        <source>Fastest: the fastest format of equal quality on the device</source>
        <translation>Schnellstes: das schnellste Format gleicher Qualität auf dem Gerät</translation>
    </message>
    <message>
        <source>What the VAE decodes in. The model&apos;s own is fp32; bf16 and fp16 take half the memory</source>
        <translation>Worin der VAE dekodiert. Das Modell selbst nimmt fp32; bf16 und fp16 brauchen halb so viel Speicher</translation>
    </message>
    <message>
        <source>How a GPU multiplies fp32: as written, or with factors rounded to TF32&apos;s 10 bits, which is faster</source>
        <translation>Wie eine GPU fp32 multipliziert: wie geschrieben, oder mit auf die 10 Bit von TF32 gerundeten Faktoren, was schneller ist</translation>
    </message>
    <message>
        <source>Whose random numbers the noise is. The processor&apos;s give one picture for a seed on every device</source>
        <translation>Wessen Zufallszahlen das Rauschen sind. Die des Prozessors ergeben für einen Seed auf jedem Gerät dasselbe Bild</translation>
    </message>
    <message>
        <source>Automatic: a GPU with room for the model, else the processor</source>
        <translation>Automatisch: eine GPU mit Platz für das Modell, sonst der Prozessor</translation>
    </message>
    <message>
        <source>Shift</source>
        <translation>Shift</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>Rate</translation>
    </message>
    <message>
        <source>Repeat</source>
        <translation>Wiederh.</translation>
    </message>
    <message>
        <source>VAE</source>
        <translation>VAE</translation>
    </message>
    <message>
        <source>fp32</source>
        <translation>fp32</translation>
    </message>
    <message>
        <source>Noise</source>
        <translation>Rauschen</translation>
    </message>
    <message>
        <source>Advanced  ▾</source>
        <translation>Erweitert  ▾</translation>
    </message>
    <message>
        <source>Advanced  ▸</source>
        <translation>Erweitert  ▸</translation>
    </message>
    <message>
        <source>model&apos;s: %1</source>
        <translation>des Modells: %1</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::CoherenceChart</name>
    <message>
        <source>COHERENCE</source>
        <translation>KOHÄRENZ</translation>
    </message>
    <message>
        <source>What the curves show</source>
        <translation>Was die Kurven zeigen</translation>
    </message>
    <message>
        <source>seconds</source>
        <translation>Sekunden</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::IssuePanel</name>
    <message>
        <source>Issues</source>
        <translation>Probleme</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>Ausblenden</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::JobPanel</name>
    <message>
        <source>No renders yet.</source>
        <translation>Noch keine Renderings.</translation>
    </message>
    <message>
        <source>JOBS</source>
        <translation>AUFTRÄGE</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::JobRow</name>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Render again</source>
        <translation>Erneut rendern</translation>
    </message>
    <message>
        <source>Show log</source>
        <translation>Protokoll zeigen</translation>
    </message>
    <message>
        <source> · %1 left</source>
        <translation> · noch %1</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::ModelBox</name>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Looking for models…</source>
        <translation>Sucht Modelle …</translation>
    </message>
    <message>
        <source>Choose a model folder…</source>
        <translation>Modellordner wählen …</translation>
    </message>
    <message>
        <source>Choose a model folder</source>
        <translation>Modellordner wählen</translation>
    </message>
    <message>
        <source>No model found: choose a folder</source>
        <translation>Kein Modell gefunden: einen Ordner wählen</translation>
    </message>
    <message>
        <source>--model: choose a model, or a folder with one</source>
        <translation>--model: ein Modell wählen oder einen Ordner mit einem</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::Player</name>
    <message>
        <source>Opening…</source>
        <translation>Öffnet …</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::PolicyBox</name>
    <message>
        <source>Policy…</source>
        <translation>Regeln …</translation>
    </message>
    <message>
        <source>Choose a file of rules: a backend for some steps, layers, modules or guidance branches</source>
        <translation>Eine Datei mit Regeln wählen: ein Backend für manche Schritte, Schichten, Module oder Zweige der Guidance</translation>
    </message>
    <message>
        <source>Render without the policy</source>
        <translation>Ohne die Regeln rendern</translation>
    </message>
    <message>
        <source>Remove the policy</source>
        <translation>Regeln entfernen</translation>
    </message>
    <message>
        <source>Attention policy</source>
        <translation>Attention-Regeln</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::PromptFields</name>
    <message>
        <source>Prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>What the video shows, e.g. “a red car driving to the right on a beach”</source>
        <translation>Was das Video zeigt, z. B. „a red car driving to the right on a beach“</translation>
    </message>
    <message>
        <source>Negative prompt</source>
        <translation>Negativer Prompt</translation>
    </message>
    <message>
        <source>What it should not show (optional)</source>
        <translation>Was es nicht zeigen soll (freiwillig)</translation>
    </message>
    <message>
        <source>Examples</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>Words</source>
        <translation>Wörter</translation>
    </message>
    <message>
        <source>The demo model knows no object here: see Words</source>
        <translation>Das Demo-Modell kennt hier keinen Gegenstand: siehe Wörter</translation>
    </message>
    <message>
        <source>The words that the demo model knows</source>
        <translation>Die Wörter, die das Demo-Modell kennt</translation>
    </message>
    <message>
        <source>PROMPT</source>
        <translation>PROMPT</translation>
    </message>
    <message>
        <source>--prompt: some words are needed</source>
        <translation>--prompt: ein paar Wörter sind nötig</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::RequestEditor</name>
    <message>
        <source>Render</source>
        <translation>Rendern</translation>
    </message>
    <message>
        <source>Render with each checked backend, in the background (Ctrl+Enter)</source>
        <translation>Mit jedem angekreuzten Backend rendern, im Hintergrund (Strg+Eingabe)</translation>
    </message>
    <message>
        <source>MODEL</source>
        <translation>MODELL</translation>
    </message>
    <message>
        <source>ATTENTION BACKENDS</source>
        <translation>ATTENTION-BACKENDS</translation>
    </message>
    <message>
        <source>SAMPLING</source>
        <translation>SAMPLING</translation>
    </message>
    <message>
        <source>--types: at least one attention backend is needed</source>
        <translation>--types: mindestens ein Attention-Backend ist nötig</translation>
    </message>
    <message>
        <source>Render %1 backends</source>
        <translation>%1 Backends rendern</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::SamplingFields</name>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Guidance</source>
        <translation>Guidance</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>Breite</translation>
    </message>
    <message>
        <source>Height</source>
        <translation>Höhe</translation>
    </message>
    <message>
        <source>Frames</source>
        <translation>Bilder</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::TimelineSlider</name>
    <message>
        <source>Position</source>
        <translation>Position</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::TimingChart</name>
    <message>
        <source>Stages</source>
        <translation>Abschnitte</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>TIME</source>
        <translation>ZEIT</translation>
    </message>
    <message>
        <source>denoising step</source>
        <translation>Entrauschungsschritt</translation>
    </message>
    <message>
        <source>seconds a step</source>
        <translation>Sekunden je Schritt</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>   denoise %1× %2</source>
        <translation>   entrauscht %1× %2</translation>
    </message>
    <message>
        <source>   %1×</source>
        <translation>   %1×</translation>
    </message>
    <message>
        <source>seconds; uneven: the same work took %1 to %2 s</source>
        <translation>Sekunden; ungleich: dieselbe Arbeit dauerte %1 bis %2 s</translation>
    </message>
    <message>
        <source>seconds</source>
        <translation>Sekunden</translation>
    </message>
    <message>
        <source>Denoising outside attention is the same work for every backend. Here it did not take the same time: the machine was busy with something else, or changed its clock. Render again on a quiet machine before quoting a ratio of times.</source>
        <translation>Das Entrauschen außerhalb der Attention ist für jedes Backend dieselbe Arbeit. Hier dauerte es nicht gleich lang: Die Maschine war mit etwas anderem beschäftigt oder änderte ihren Takt. Vor dem Zitieren eines Zeitverhältnisses auf einer ruhigen Maschine noch einmal rendern.</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::TransportBar</name>
    <message>
        <source>First frame</source>
        <translation>Erstes Bild</translation>
    </message>
    <message>
        <source>First frame (Home)</source>
        <translation>Erstes Bild (Pos1)</translation>
    </message>
    <message>
        <source>Step back</source>
        <translation>Schritt zurück</translation>
    </message>
    <message>
        <source>One frame back (←)</source>
        <translation>Ein Bild zurück (←)</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>Abspielen</translation>
    </message>
    <message>
        <source>Play or pause (Space)</source>
        <translation>Abspielen oder anhalten (Leertaste)</translation>
    </message>
    <message>
        <source>Step forward</source>
        <translation>Schritt vor</translation>
    </message>
    <message>
        <source>One frame forward (→)</source>
        <translation>Ein Bild weiter (→)</translation>
    </message>
    <message>
        <source>Last frame</source>
        <translation>Letztes Bild</translation>
    </message>
    <message>
        <source>Last frame (End)</source>
        <translation>Letztes Bild (Ende)</translation>
    </message>
    <message>
        <source>Loop</source>
        <translation>Wiederholen</translation>
    </message>
    <message>
        <source>Repeat the whole comparison (Shift+L); I and O mark a range</source>
        <translation>Den ganzen Vergleich wiederholen (Umschalt+L); I und O setzen einen Bereich</translation>
    </message>
    <message>
        <source>Speed ([ and ], Backspace for 1×)</source>
        <translation>Geschwindigkeit ([ und ], Rücktaste für 1×)</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Geschwindigkeit</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>%1 / %2   frame %3 / %4</source>
        <translation>%1 / %2   Bild %3 / %4</translation>
    </message>
    <message>
        <source>Every frame was shown in time</source>
        <translation>Jedes Bild wurde rechtzeitig gezeigt</translation>
    </message>
    <message>
        <source>The playhead waited for a frame: %1 times</source>
        <translation>Der Abspielkopf wartete auf ein Bild: %1-mal</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::VideoGrid</name>
    <message>
        <source>Video grid</source>
        <translation>Videoraster</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::WordsPopup</name>
    <message>
        <source>Words the demo model knows</source>
        <translation>Wörter, die das Demo-Modell kennt</translation>
    </message>
</context>
</TS>
