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
    <message>
        <source>Add attention p&amp;lug-in…</source>
        <translation>Attention-P&amp;lug-in hinzufügen …</translation>
    </message>
    <message>
        <source>Adds a backend of your own: its library, a recipe, or a kernel in Python</source>
        <translation>Fügt ein eigenes Backend hinzu: seine Bibliothek, ein Rezept oder einen Kernel in Python</translation>
    </message>
    <message>
        <source>Export what is s&amp;een…</source>
        <translation>Gese&amp;henes exportieren …</translation>
    </message>
    <message>
        <source>Writes the wipe, difference or grid as it is seen as one video</source>
        <translation>Schreibt Wischblende, Differenz oder Raster, wie sie zu sehen sind, als ein Video</translation>
    </message>
    <message>
        <source>Save each &amp;tile’s picture…</source>
        <translation>Bild &amp;jeder Kachel speichern …</translation>
    </message>
    <message>
        <source>Writes each clip’s frame at its own size as a PNG picture</source>
        <translation>Schreibt das Bild jedes Clips in eigener Größe als PNG</translation>
    </message>
    <message>
        <source>&amp;Matrix of prompts, seeds, models…</source>
        <translation>&amp;Matrix aus Prompts, Seeds, Modellen …</translation>
    </message>
    <message>
        <source>Lists many renders with their times before any starts</source>
        <translation>Führt viele Renderings mit ihren Zeiten auf, bevor eines beginnt</translation>
    </message>
    <message>
        <source>M&amp;odels…</source>
        <translation>M&amp;odelle …</translation>
    </message>
    <message>
        <source>What can be rendered with, what each needs, and where it is</source>
        <translation>Womit gerendert werden kann, was jedes braucht und wo es liegt</translation>
    </message>
    <message>
        <source>&amp;Library of comparisons…</source>
        <translation>&amp;Bibliothek der Vergleiche …</translation>
    </message>
    <message>
        <source>Finds and opens a comparison in the results folder</source>
        <translation>Findet und öffnet einen Vergleich im Ergebnisordner</translation>
    </message>
    <message>
        <source>Longest &amp;time of a render…</source>
        <translation>&amp;Längste Zeit eines Renderings …</translation>
    </message>
    <message>
        <source>Ends a render, and a plug-in’s kernel in it, that hangs</source>
        <translation>Beendet ein Rendering, das hängt, etwa im Kernel eines Plug-ins</translation>
    </message>
    <message>
        <source>&amp;Kernel benchmark…</source>
        <translation>&amp;Kernel-Benchmark …</translation>
    </message>
    <message>
        <source>Times attention kernels, and holds each against float64</source>
        <translation>Misst Attention-Kernel und hält jeden gegen float64</translation>
    </message>
    <message>
        <source>&amp;VAE benchmark…</source>
        <translation>&amp;VAE-Benchmark …</translation>
    </message>
    <message>
        <source>Times a VAE alone, in several configurations</source>
        <translation>Misst ein VAE für sich, in mehreren Konfigurationen</translation>
    </message>
    <message>
        <source>&amp;Tune a policy…</source>
        <translation>&amp;Regeln abstimmen …</translation>
    </message>
    <message>
        <source>Looks for the fastest attention within a quality budget</source>
        <translation>Sucht die schnellste Attention innerhalb eines Qualitätsbudgets</translation>
    </message>
    <message>
        <source>&amp;Error maps of this comparison</source>
        <translation>&amp;Fehlerkarten dieses Vergleichs</translation>
    </message>
    <message>
        <source>&amp;Captures…</source>
        <translation>&amp;Mitschnitte …</translation>
    </message>
    <message>
        <source>Looks at attention’s saved inputs</source>
        <translation>Zeigt die gespeicherten Eingaben der Attention</translation>
    </message>
    <message>
        <source>T&amp;race…</source>
        <translation>T&amp;race …</translation>
    </message>
    <message>
        <source>Shows where a profiled render’s time went</source>
        <translation>Zeigt, wohin die Zeit eines Renderings ging</translation>
    </message>
    <message>
        <source>Compare t&amp;wo traces…</source>
        <translation>&amp;Zwei Traces vergleichen …</translation>
    </message>
    <message>
        <source>Shows what changed between two profiled renders</source>
        <translation>Zeigt, was sich zwischen zwei Renderings geändert hat</translation>
    </message>
    <message>
        <source>Open a &amp;result…</source>
        <translation>&amp;Ergebnis öffnen …</translation>
    </message>
    <message>
        <source>Shows an earlier measurement again</source>
        <translation>Zeigt eine frühere Messung noch einmal</translation>
    </message>
    <message>
        <source>Export with c&amp;harts…</source>
        <translation>Mit Di&amp;agrammen exportieren …</translation>
    </message>
    <message>
        <source>Writes what is seen with its charts below it as one video</source>
        <translation>Schreibt das Gesehene mit seinen Diagrammen darunter als ein Video</translation>
    </message>
    <message>
        <source>As many columns as show the pictures largest</source>
        <translation>So viele Spalten, dass die Bilder am größten sind</translation>
    </message>
    <message>
        <source>Shows where each backend errs, by layer and step; renders sdpa’s clip once more where none on show has it</source>
        <translation>Zeigt nach Schicht und Schritt, wo jedes Backend abweicht; rendert den Clip von sdpa noch einmal, wo kein gezeigter es enthält</translation>
    </message>
    <message>
        <source>&amp;Resume interrupted renders</source>
        <translation>Unterbrochene Rende&amp;rings fortsetzen</translation>
    </message>
    <message>
        <source>Goes on with every render that was interrupted, from the last step that it kept</source>
        <translation>Setzt jedes unterbrochene Rendering beim letzten Schritt fort, der behalten wurde</translation>
    </message>
    <message>
        <source>Mac&amp;hines…</source>
        <translation>Ma&amp;schinen …</translation>
    </message>
    <message>
        <source>Chooses the machines that render: this one, others over SSH or Slurm</source>
        <translation>Wählt die Maschinen, die rendern: diese, andere über SSH oder Slurm</translation>
    </message>
    <message>
        <source>Open the demo in &amp;four steps</source>
        <translation>Demo in &amp;vier Schritten öffnen</translation>
    </message>
    <message>
        <source>Shows 20 steps beside 4, with sparse attention and INT8, too</source>
        <translation>Zeigt 20 Schritte neben 4, auch mit dünner Attention und INT8</translation>
    </message>
    <message>
        <source>Open s&amp;uite…</source>
        <translation>S&amp;uite öffnen …</translation>
    </message>
    <message>
        <source>Shows a suite’s clips and means as tables</source>
        <translation>Zeigt Clips und Mittelwerte einer Suite als Tabellen</translation>
    </message>
    <message>
        <source>&amp;Mute</source>
        <translation>&amp;Stumm</translation>
    </message>
    <message>
        <source>The selected tile’s sound is not heard</source>
        <translation>Der Ton der gewählten Kachel ist nicht zu hören</translation>
    </message>
    <message>
        <source>Lo&amp;uder</source>
        <translation>La&amp;uter</translation>
    </message>
    <message>
        <source>Plays sound a tenth louder</source>
        <translation>Spielt den Ton ein Zehntel lauter</translation>
    </message>
    <message>
        <source>&amp;Quieter</source>
        <translation>&amp;Leiser</translation>
    </message>
    <message>
        <source>Plays sound a tenth quieter</source>
        <translation>Spielt den Ton ein Zehntel leiser</translation>
    </message>
    <message>
        <source>Compute &amp;metrics…</source>
        <translation>&amp;Metriken berechnen …</translation>
    </message>
    <message>
        <source>Measures LPIPS, CLIP score, VMAF and others of the clips on show</source>
        <translation>Misst LPIPS, CLIP-Score, VMAF und andere an den gezeigten Clips</translation>
    </message>
</context>
<context>
    <name>Axes</name>
    <message>
        <source>Prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Backend</source>
        <translation>Backend</translation>
    </message>
    <message>
        <source>Policy</source>
        <translation>Regeln</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
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
    <message>
        <source>More than the attention kernel differs: %1</source>
        <translation>Mehr als der Attention-Kernel ist verschieden: %1</translation>
    </message>
</context>
<context>
    <name>Differences</name>
    <message>
        <source>model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>picture</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>negative prompt</source>
        <translation>negativer Prompt</translation>
    </message>
    <message>
        <source>seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>frames</source>
        <translation>Bildzahl</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>guidance</source>
        <translation>Guidance</translation>
    </message>
    <message>
        <source>step cache</source>
        <translation>Schritt-Cache</translation>
    </message>
    <message>
        <source>linear</source>
        <translation>lineare Schichten</translation>
    </message>
    <message>
        <source>what is known of them</source>
        <translation>was von ihnen bekannt ist</translation>
    </message>
    <message>
        <source> and </source>
        <translation> und </translation>
    </message>
    <message>
        <source> (differs: %1)</source>
        <translation> (verschieden: %1)</translation>
    </message>
</context>
<context>
    <name>GridOverlay</name>
    <message>
        <source>signed %1</source>
        <translation>mit Vorzeichen %1</translation>
    </message>
    <message>
        <source>absolute</source>
        <translation>absolut</translation>
    </message>
    <message>
        <source>absolute %1</source>
        <translation>absolut %1</translation>
    </message>
    <message>
        <source>largest channel</source>
        <translation>größter Kanal</translation>
    </message>
    <message>
        <source>reference</source>
        <translation>Referenz</translation>
    </message>
    <message>
        <source>%1 codes</source>
        <translation>%1 Codes</translation>
    </message>
</context>
<context>
    <name>Measures</name>
    <message>
        <source>frame correlation</source>
        <translation>Bildkorrelation</translation>
    </message>
    <message>
        <source>flickering</source>
        <translation>Flackern</translation>
    </message>
    <message>
        <source>warping error</source>
        <translation>Warping-Fehler</translation>
    </message>
    <message>
        <source>denoising</source>
        <translation>Entrauschen</translation>
    </message>
    <message>
        <source>render</source>
        <translation>Rendering</translation>
    </message>
    <message>
        <source>most memory</source>
        <translation>größter Speicher</translation>
    </message>
    <message>
        <source>subject consistency</source>
        <translation>Beständigkeit des Motivs</translation>
    </message>
    <message>
        <source>background consistency</source>
        <translation>Beständigkeit des Hintergrunds</translation>
    </message>
    <message>
        <source>denoising after warm-up</source>
        <translation>Entrauschen nach dem Anlauf</translation>
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
    <message>
        <source>%1 (plug-in)</source>
        <translation>%1 (Plug-in)</translation>
    </message>
    <message>
        <source>Plug-in, not part of ReelGrid: </source>
        <translation>Plug-in, kein Teil von ReelGrid: </translation>
    </message>
    <message>
        <source>, version </source>
        <translation>, Version </translation>
    </message>
    <message>
        <source>Open clips, a session or a result</source>
        <translation>Clips, Sitzung oder Ergebnis öffnen</translation>
    </message>
    <message>
        <source>Clips, sessions and results (%1 *.json *.json.gz *.pt);;All files (*)</source>
        <translation>Clips, Sitzungen und Ergebnisse (%1 *.json *.json.gz *.pt);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Add an attention backend of your own</source>
        <translation>Eigenes Attention-Backend hinzufügen</translation>
    </message>
    <message>
        <source>Libraries, recipes and kernels in Python (*.so *.json *.py);;All files (*)</source>
        <translation>Bibliotheken, Rezepte und Kernel in Python (*.so *.json *.py);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>there already</source>
        <translation>schon da</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>nicht bekannt</translation>
    </message>
    <message>
        <source>An identical render: %1</source>
        <translation>Ein gleiches Rendering: %1</translation>
    </message>
    <message>
        <source>No earlier render of this model on this device lies in the results folder.</source>
        <translation>Im Ergebnisordner liegt kein früheres Rendering dieses Modells auf diesem Gerät.</translation>
    </message>
    <message>
        <source>From earlier renders of this size with this backend.</source>
        <translation>Aus früheren Renderings dieser Größe mit diesem Backend.</translation>
    </message>
    <message>
        <source>From earlier renders of this size with other backends.</source>
        <translation>Aus früheren Renderings dieser Größe mit anderen Backends.</translation>
    </message>
    <message>
        <source>From earlier renders of other sizes: a rough guess.</source>
        <translation>Aus früheren Renderings anderer Größe: grob geschätzt.</translation>
    </message>
    <message>
        <source>about %1 s</source>
        <translation>etwa %1 s</translation>
    </message>
    <message>
        <source>about %1 min</source>
        <translation>etwa %1 min</translation>
    </message>
    <message>
        <source>about %1 h</source>
        <translation>etwa %1 h</translation>
    </message>
    <message>
        <source>%1 MB</source>
        <translation>%1 MB</translation>
    </message>
    <message>
        <source>%1 GB</source>
        <translation>%1 GB</translation>
    </message>
    <message>
        <source>%1 M parameters</source>
        <translation>%1 Mio. Parameter</translation>
    </message>
    <message>
        <source>%1 B parameters</source>
        <translation>%1 Mrd. Parameter</translation>
    </message>
    <message>
        <source>%1, seed %2</source>
        <translation>%1, Seed %2</translation>
    </message>
    <message>
        <source>, %1 steps</source>
        <translation>, %1 Schritte</translation>
    </message>
    <message>
        <source>%1, ran %2</source>
        <translation>%1, lief %2</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1: %2 values from %3 to %4</source>
        <translation>%1: %2 Werte von %3 bis %4</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 bis %2</translation>
    </message>
    <message>
        <source>kernel</source>
        <translation>Kernel</translation>
    </message>
    <message>
        <source>module</source>
        <translation>Modul</translation>
    </message>
    <message>
        <source>branch</source>
        <translation>Zweig</translation>
    </message>
    <message>
        <source>dtype</source>
        <translation>dtype</translation>
    </message>
    <message>
        <source>q</source>
        <translation>q</translation>
    </message>
    <message>
        <source>k</source>
        <translation>k</translation>
    </message>
    <message>
        <source>file</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>call</source>
        <translation>Aufruf</translation>
    </message>
    <message>
        <source>TIME OF THE DEVICE</source>
        <translation>ZEIT DES GERÄTS</translation>
    </message>
    <message>
        <source>TIME OF THE THREADS</source>
        <translation>ZEIT DER THREADS</translation>
    </message>
    <message>
        <source>seconds</source>
        <translation>Sekunden</translation>
    </message>
    <message>
        <source>WHAT TAKES THE TIME, AND WHAT TO TRY</source>
        <translation>WAS DIE ZEIT BRAUCHT, UND WAS ZU VERSUCHEN IST</translation>
    </message>
    <message>
        <source>None of its events takes any time.</source>
        <translation>Keines seiner Ereignisse braucht Zeit.</translation>
    </message>
    <message>
        <source>left out</source>
        <translation>ausgelassen</translation>
    </message>
    <message>
        <source>%1 (%2 left out)</source>
        <translation>%1 (%2 ausgelassen)</translation>
    </message>
    <message>
        <source>left out (no name, impossible times, or begin and end in two events): %1</source>
        <translation>ausgelassen (ohne Namen, mit unmöglichen Zeiten oder Anfang und Ende in zwei Ereignissen): %1</translation>
    </message>
    <message>
        <source>cut where what they are in ends: %1</source>
        <translation>am Ende dessen abgeschnitten, worin sie liegen: %1</translation>
    </message>
    <message>
        <source>The trace %1 has no time of a device: compared is the time of the threads of both, without the %2 that the other&apos;s device took</source>
        <translation>Der Trace %1 hat keine Zeit eines Geräts: verglichen wird die Zeit der Threads von beiden, ohne die %2, die das Gerät des anderen brauchte</translation>
    </message>
    <message>
        <source>Events before, %1</source>
        <translation>Ereignisse vorher, %1</translation>
    </message>
    <message>
        <source>Events after, %1</source>
        <translation>Ereignisse nachher, %1</translation>
    </message>
    <message>
        <source>name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>group</source>
        <translation>Gruppe</translation>
    </message>
    <message>
        <source>calls</source>
        <translation>Aufrufe</translation>
    </message>
    <message>
        <source>self</source>
        <translation>selbst</translation>
    </message>
    <message>
        <source>total</source>
        <translation>gesamt</translation>
    </message>
    <message>
        <source>self device</source>
        <translation>Gerät selbst</translation>
    </message>
    <message>
        <source>total device</source>
        <translation>Gerät gesamt</translation>
    </message>
    <message>
        <source>time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>before</source>
        <translation>vorher</translation>
    </message>
    <message>
        <source>after</source>
        <translation>nachher</translation>
    </message>
    <message>
        <source>difference</source>
        <translation>Unterschied</translation>
    </message>
    <message>
        <source>calls before</source>
        <translation>Aufrufe vorher</translation>
    </message>
    <message>
        <source>PSNR against sdpa, dB</source>
        <translation>PSNR gegen sdpa, dB</translation>
    </message>
    <message>
        <source>SSIM against sdpa</source>
        <translation>SSIM gegen sdpa</translation>
    </message>
    <message>
        <source>relative L1 of the latents</source>
        <translation>relatives L1 der Latents</translation>
    </message>
    <message>
        <source>cosine of the latents</source>
        <translation>Kosinus der Latents</translation>
    </message>
    <message>
        <source>One tile alone, or all again</source>
        <translation>Eine Kachel allein oder wieder alle</translation>
    </message>
    <message>
        <source>%1, version %2</source>
        <translation>%1, Version %2</translation>
    </message>
    <message>
        <source>Choose a picture</source>
        <translation>Bild wählen</translation>
    </message>
    <message>
        <source>Pictures (*.png *.jpg *.jpeg *.webp);;All files (*)</source>
        <translation>Bilder (*.png *.jpg *.jpeg *.webp);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>from text (t2v)</source>
        <translation>aus Text (t2v)</translation>
    </message>
    <message>
        <source>from a picture (i2v)</source>
        <translation>aus einem Bild (i2v)</translation>
    </message>
    <message>
        <source>from text, with or without a picture (ti2v)</source>
        <translation>aus Text, mit oder ohne Bild (ti2v)</translation>
    </message>
    <message>
        <source>Choose a LoRA</source>
        <translation>LoRA wählen</translation>
    </message>
    <message>
        <source>LoRAs (*.safetensors);;All files (*)</source>
        <translation>LoRAs (*.safetensors);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source> · will take about %1 of memory</source>
        <translation> · wird etwa %1 Speicher brauchen</translation>
    </message>
    <message>
        <source>a smaller size or fewer frames</source>
        <translation>eine kleinere Größe oder weniger Bilder</translation>
    </message>
    <message>
        <source>%1: about %2 at most</source>
        <translation>%1: höchstens etwa %2</translation>
    </message>
    <message>
        <source>%1: about %2 at most, %3 free</source>
        <translation>%1: höchstens etwa %2, frei sind %3</translation>
    </message>
    <message>
        <source>%1: about %2, but only %3 free. Less takes: %4</source>
        <translation>%1: etwa %2, frei sind aber nur %3. Weniger brauchen: %4</translation>
    </message>
    <message>
        <source>cancelled, %1 of %2 steps kept</source>
        <translation>abgebrochen, %1 von %2 Schritten behalten</translation>
    </message>
    <message>
        <source>interrupted at step %1 of %2</source>
        <translation>unterbrochen bei Schritt %1 von %2</translation>
    </message>
    <message>
        <source>interrupted before a step was kept</source>
        <translation>unterbrochen, bevor ein Schritt behalten wurde</translation>
    </message>
    <message>
        <source>Memory not known: %1</source>
        <translation>Speicher nicht bekannt: %1</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Memory of %1</source>
        <translation>Speicher von %1</translation>
    </message>
    <message>
        <source>waiting again: %1</source>
        <translation>wartet wieder: %1</translation>
    </message>
    <message>
        <source>Add attention plug-in</source>
        <translation>Attention-Plug-in hinzufügen</translation>
    </message>
    <message>
        <source>“%1” is code: renders with it may read, write and delete whatever you may.</source>
        <translation>„%1“ ist Programmcode: Renderings damit können alles lesen, schreiben und löschen, was Sie dürfen.</translation>
    </message>
    <message>
        <source>Run it only if you know who made it. You are asked again once it has changed.

SHA-256 %1</source>
        <translation>Führen Sie ihn nur aus, wenn Sie wissen, von wem er ist. Hat er sich geändert, wird wieder gefragt.

SHA-256 %1</translation>
    </message>
    <message>
        <source>Run its code</source>
        <translation>Code ausführen</translation>
    </message>
    <message>
        <source>Open suite</source>
        <translation>Suite öffnen</translation>
    </message>
    <message>
        <source>Suites (suite.json);;All files (*)</source>
        <translation>Suiten (suite.json);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Frames without loss: about %1 of disk a clip</source>
        <translation>Verlustfreie Frames: etwa %1 Platz je Clip</translation>
    </message>
    <message>
        <source>%1 of %2 clips meet %3</source>
        <translation>%1 von %2 Clips erfüllen %3</translation>
    </message>
    <message>
        <source>passed</source>
        <translation>bestanden</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>nicht bestanden</translation>
    </message>
    <message>
        <source>%1 is there where the clips were measured for it: Measure › Compute metrics, or reelgrid-cli --metrics.</source>
        <translation>%1 gibt es, wo die Clips daraufhin gemessen wurden: Messen › Metriken berechnen, oder reelgrid-cli --metrics.</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>tokens %1</source>
        <translation>Token %1</translation>
    </message>
    <message>
        <source>%1: frames %2, rows %3, columns %4</source>
        <translation>%1: Bilder %2, Zeilen %3, Spalten %4</translation>
    </message>
    <message>
        <source>%1 (differs: %2)</source>
        <translation>%1 (verschieden: %2)</translation>
    </message>
    <message numerus="yes">
        <source>%n vote(s) are of other clips that were at these places: not counted.</source>
        <translation>
            <numerusform>%n Stimme gilt anderen Clips, die an diesen Stellen waren: nicht gezählt.</numerusform>
            <numerusform>%n Stimmen gelten anderen Clips, die an diesen Stellen waren: nicht gezählt.</numerusform>
        </translation>
    </message>
    <message>
        <source>interrupted, can’t go on: %1</source>
        <translation>unterbrochen, kann nicht weitergehen: %1</translation>
    </message>
    <message>
        <source>The work is not the same: the decode was recorded %1 alone</source>
        <translation>Die Arbeit ist nicht dieselbe: das Decodieren wurde nur %1 aufgezeichnet</translation>
    </message>
    <message>
        <source>Share of the key blocks that each block of queries keeps</source>
        <translation>Anteil der Schlüsselblöcke, die jeder Block von Anfragen behält</translation>
    </message>
</context>
<context>
    <name>Verdicts</name>
    <message>
        <source>coherent</source>
        <translation>kohärent</translation>
    </message>
    <message>
        <source>incoherent</source>
        <translation>inkohärent</translation>
    </message>
    <message>
        <source>cross-faded</source>
        <translation>überblendet</translation>
    </message>
    <message>
        <source>frozen</source>
        <translation>eingefroren</translation>
    </message>
    <message>
        <source>flat</source>
        <translation>einfarbig</translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::AskedMetrics</name>
    <message>
        <source>Compute metrics</source>
        <translation>Metriken berechnen</translation>
    </message>
    <message>
        <source>Metrics: no clip is on show, at least one was needed</source>
        <translation>Metriken: kein Clip wird gezeigt, mindestens einer war nötig</translation>
    </message>
    <message>
        <source>Metrics: %1 compares with %2, and no clip by it is here</source>
        <translation>Metriken: %1 vergleicht mit %2, und davon ist kein Clip hier</translation>
    </message>
    <message>
        <source>Metrics: %1</source>
        <translation>Metriken: %1</translation>
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
    <message>
        <source>Open the one in four steps</source>
        <translation>Den in vier Schritten öffnen</translation>
    </message>
    <message>
        <source>20 steps beside 4, those with sparse-linear attention and INT8, too: opens at once</source>
        <translation>20 Schritte neben 4, diese auch mit Sparse-Linear-Attention und INT8: öffnet sich sofort</translation>
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
    <name>reelgrid::studio::ForecastLine</name>
    <message>
        <source>%1 for %2 backends</source>
        <translation>%1 für %2 Backends</translation>
    </message>
    <message>
        <source>Time: %1</source>
        <translation>Zeit: %1</translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::Library</name>
    <message>
        <source>Words of prompt, backend, model, seed, date</source>
        <translation>Wörter aus Prompt, Backend, Modell, Seed, Datum</translation>
    </message>
    <message>
        <source>Look for comparisons</source>
        <translation>Vergleiche suchen</translation>
    </message>
    <message>
        <source>%1 comparisons</source>
        <translation>%1 Vergleiche</translation>
    </message>
    <message>
        <source>%1 of %2 comparisons</source>
        <translation>%1 von %2 Vergleichen</translation>
    </message>
    <message>
        <source>Nothing was rendered into the results folder yet</source>
        <translation>In den Ergebnisordner wurde noch nichts gerendert</translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::LookingActions</name>
    <message>
        <source>&amp;Grid</source>
        <translation>&amp;Raster</translation>
    </message>
    <message>
        <source>Shows every clip in a tile of its own</source>
        <translation>Zeigt jeden Clip in einer eigenen Kachel</translation>
    </message>
    <message>
        <source>&amp;Wipe</source>
        <translation>&amp;Wischblende</translation>
    </message>
    <message>
        <source>Two clips over each other, parted by a line to drag and to turn</source>
        <translation>Zwei Clips übereinander, geteilt durch eine Linie zum Ziehen und Drehen</translation>
    </message>
    <message>
        <source>&amp;Difference</source>
        <translation>&amp;Differenz</translation>
    </message>
    <message>
        <source>Shows where each clip differs from the reference</source>
        <translation>Zeigt, wo jeder Clip von der Referenz abweicht</translation>
    </message>
    <message>
        <source>&amp;Onion skin</source>
        <translation>&amp;Überblendung</translation>
    </message>
    <message>
        <source>Shows one clip through the other</source>
        <translation>Zeigt einen Clip durch den anderen</translation>
    </message>
    <message>
        <source>&amp;Flicker</source>
        <translation>&amp;Flackern</translation>
    </message>
    <message>
        <source>Shows two clips in turns</source>
        <translation>Zeigt zwei Clips im Wechsel</translation>
    </message>
    <message>
        <source>Selected tile as &amp;reference</source>
        <translation>Gewählte Kachel als R&amp;eferenz</translation>
    </message>
    <message>
        <source>Holds the others against the selected tile</source>
        <translation>Hält die anderen gegen die gewählte Kachel</translation>
    </message>
    <message>
        <source>&amp;Next clip against the reference</source>
        <translation>&amp;Nächsten Clip gegen die Referenz</translation>
    </message>
    <message>
        <source>Holds the next clip against the reference</source>
        <translation>Hält den nächsten Clip gegen die Referenz</translation>
    </message>
    <message>
        <source>E&amp;xchange the two</source>
        <translation>Beide &amp;tauschen</translation>
    </message>
    <message>
        <source>The reference becomes the other one, and the other one the reference</source>
        <translation>Die Referenz wird der andere, und der andere die Referenz</translation>
    </message>
    <message>
        <source>&amp;Signed difference</source>
        <translation>Differenz mit &amp;Vorzeichen</translation>
    </message>
    <message>
        <source>Grey where nothing differs</source>
        <translation>Grau, wo nichts abweicht</translation>
    </message>
    <message>
        <source>&amp;Absolute difference</source>
        <translation>&amp;Absolute Differenz</translation>
    </message>
    <message>
        <source>Black where nothing differs, as large as it is</source>
        <translation>Schwarz, wo nichts abweicht, so groß, wie sie ist</translation>
    </message>
    <message>
        <source>A&amp;mplified difference</source>
        <translation>Vers&amp;tärkte Differenz</translation>
    </message>
    <message>
        <source>The absolute difference times a gain</source>
        <translation>Die absolute Differenz mal einem Faktor</translation>
    </message>
    <message>
        <source>&amp;Heat map</source>
        <translation>&amp;Wärmebild</translation>
    </message>
    <message>
        <source>The largest channel&apos;s difference in colours</source>
        <translation>Die Differenz des größten Kanals in Farben</translation>
    </message>
    <message>
        <source>More &amp;gain</source>
        <translation>&amp;Mehr Verstärkung</translation>
    </message>
    <message>
        <source>Shows differences twice as large</source>
        <translation>Zeigt Differenzen doppelt so groß</translation>
    </message>
    <message>
        <source>&amp;Less gain</source>
        <translation>Weni&amp;ger Verstärkung</translation>
    </message>
    <message>
        <source>Shows differences half as large</source>
        <translation>Zeigt Differenzen halb so groß</translation>
    </message>
    <message>
        <source>&amp;Turn the wipe</source>
        <translation>Wischblende &amp;drehen</translation>
    </message>
    <message>
        <source>Turns the wipe&apos;s line by 45°</source>
        <translation>Dreht die Linie der Wischblende um 45°</translation>
    </message>
    <message>
        <source>Wipe in the m&amp;iddle</source>
        <translation>Wischblende in die M&amp;itte</translation>
    </message>
    <message>
        <source>Puts the wipe&apos;s line upright in the middle</source>
        <translation>Stellt die Linie der Wischblende senkrecht in die Mitte</translation>
    </message>
    <message>
        <source>Pixel &amp;values</source>
        <translation>&amp;Pixelwerte</translation>
    </message>
    <message>
        <source>Shows every tile&apos;s colour at the pointer, and how it differs from the reference&apos;s</source>
        <translation>Zeigt die Farbe jeder Kachel am Zeiger und wie sie von der der Referenz abweicht</translation>
    </message>
    <message>
        <source>&amp;Zoom in</source>
        <translation>&amp;Vergrößern</translation>
    </message>
    <message>
        <source>Magnifies all pictures at the pointer</source>
        <translation>Vergrößert alle Bilder am Zeiger</translation>
    </message>
    <message>
        <source>Zoom o&amp;ut</source>
        <translation>Ver&amp;kleinern</translation>
    </message>
    <message>
        <source>Shows more of all pictures</source>
        <translation>Zeigt mehr von allen Bildern</translation>
    </message>
    <message>
        <source>Whole &amp;pictures</source>
        <translation>&amp;Ganze Bilder</translation>
    </message>
    <message>
        <source>Ends the zoom</source>
        <translation>Beendet den Zoom</translation>
    </message>
    <message>
        <source>Hold clips together by &amp;frame number</source>
        <translation>Clips nach &amp;Bildnummer zusammenhalten</translation>
    </message>
    <message>
        <source>Frame 12 of every clip at once, whatever its rate; else what is due at the same time</source>
        <translation>Bild 12 jedes Clips zugleich, gleich welcher Rate; sonst, was zur selben Zeit dran ist</translation>
    </message>
    <message>
        <source>Selected clip one frame &amp;ahead</source>
        <translation>Gewählter Clip ein Bild &amp;voraus</translation>
    </message>
    <message>
        <source>Shifts the selected clip against the others</source>
        <translation>Verschiebt den gewählten Clip gegen die anderen</translation>
    </message>
    <message>
        <source>Selected clip one frame &amp;behind</source>
        <translation>Gewählter Clip ein Bild &amp;hinterher</translation>
    </message>
    <message>
        <source>Selected clip 10 ms ahead</source>
        <translation>Gewählter Clip 10 ms voraus</translation>
    </message>
    <message>
        <source>Selected clip 10 ms behind</source>
        <translation>Gewählter Clip 10 ms hinterher</translation>
    </message>
    <message>
        <source>&amp;No shifts</source>
        <translation>&amp;Keine Verschiebungen</translation>
    </message>
    <message>
        <source>Clips begin together again</source>
        <translation>Clips beginnen wieder gemeinsam</translation>
    </message>
    <message>
        <source>&amp;Look</source>
        <translation>An&amp;sehen</translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::MachineList</name>
    <message>
        <source>Use these machines</source>
        <translation>Diese Maschinen verwenden</translation>
    </message>
    <message>
        <source>One machine a line: here, ssh://user@host (OpenSSH with your keys and your config; nothing listens) or slurm:partition?gpus=1. Each needs ReelGrid of this version and the models. Pictures, LoRAs and plug-ins are sent; clips come back.</source>
        <translation>Eine Maschine je Zeile: here (diese), ssh://user@host (OpenSSH mit Ihren Schlüsseln und Ihrer Konfiguration; nichts lauscht) oder slurm:partition?gpus=1. Jede braucht ReelGrid in dieser Version und die Modelle. Bilder, LoRAs und Plug-ins werden geschickt; Clips kommen zurück.</translation>
    </message>
    <message>
        <source>Machines</source>
        <translation>Maschinen</translation>
    </message>
    <message>
        <source>Open a file…</source>
        <translation>Datei öffnen …</translation>
    </message>
    <message>
        <source>Asking…</source>
        <translation>Wird gefragt …</translation>
    </message>
    <message>
        <source>None of them can render: nothing was changed.</source>
        <translation>Keine von ihnen kann rendern: Nichts wurde geändert.</translation>
    </message>
    <message numerus="yes">
        <source>Up to %n render(s) at once from now on.</source>
        <translation>
            <numerusform>Von jetzt an bis zu %n Rendering zugleich.</numerusform>
            <numerusform>Von jetzt an bis zu %n Renderings zugleich.</numerusform>
        </translation>
    </message>
    <message>
        <source>Renders run here, one at a time.</source>
        <translation>Gerendert wird hier, eins nach dem anderen.</translation>
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
    <message>
        <source>%1: can&apos;t be written as a PNG picture</source>
        <translation>%1: lässt sich nicht als PNG-Bild schreiben</translation>
    </message>
    <message>
        <source>Where the pictures go</source>
        <translation>Wohin die Bilder kommen</translation>
    </message>
    <message>
        <source>&amp;Render</source>
        <translation>&amp;Rendern</translation>
    </message>
    <message>
        <source>&amp;Measure</source>
        <translation>&amp;Messen</translation>
    </message>
    <message>
        <source>Longest time of a render</source>
        <translation>Längste Zeit eines Renderings</translation>
    </message>
    <message>
        <source>Seconds after which a render is ended, saying what it was in (0: never).
For attention plug-ins that may hang.</source>
        <translation>Sekunden, nach denen ein Rendering endet und sagt, worin es war (0: nie).
Für Attention-Plug-ins, die hängen könnten.</translation>
    </message>
    <message>
        <source>%1: the chosen model takes no picture</source>
        <translation>%1: Das gewählte Modell nimmt kein Bild</translation>
    </message>
    <message>
        <source>Blind test: no two clips of the suite that differ in this alone</source>
        <translation>Blindtest: keine zwei Clips der Suite, die sich nur hierin unterscheiden</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>What isn&apos;t saved would be lost with this window.</source>
        <translation>Was nicht gespeichert ist, ginge mit diesem Fenster verloren.</translation>
    </message>
    <message>
        <source>It can&apos;t be kept for the next one: %1</source>
        <translation>Es lässt sich nicht für das nächste aufheben: %1</translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::MatrixDialog</name>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Backends</source>
        <translation>Backends</translation>
    </message>
    <message>
        <source>Policies</source>
        <translation>Regeln</translation>
    </message>
    <message>
        <source>Reuse identical renders that are there already</source>
        <translation>Gleiche Renderings wiederverwenden, die schon da sind</translation>
    </message>
    <message>
        <source>Render a matrix</source>
        <translation>Matrix rendern</translation>
    </message>
    <message>
        <source>The renders, in their order</source>
        <translation>Die Renderings in ihrer Reihenfolge</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>42, 100-103</source>
        <translation>42, 100-103</translation>
    </message>
    <message>
        <source>10, 20</source>
        <translation>10, 20</translation>
    </message>
    <message>
        <source>Add a policy file…</source>
        <translation>Datei mit Regeln hinzufügen …</translation>
    </message>
    <message>
        <source>Prompts, one a line</source>
        <translation>Prompts, einer je Zeile</translation>
    </message>
    <message>
        <source>Seeds</source>
        <translation>Seeds</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Step caches</source>
        <translation>Schrittspeicher</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>the request&apos;s</source>
        <translation>die des Auftrags</translation>
    </message>
    <message>
        <source> – looking through earlier renders…</source>
        <translation> – sieht frühere Renderings durch …</translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::MatrixTable</name>
    <message>
        <source>Nothing to render.</source>
        <translation>Nichts zu rendern.</translation>
    </message>
    <message>
        <source>, and %1 whose time is not known</source>
        <translation>, und %1, deren Zeit nicht bekannt ist</translation>
    </message>
    <message>
        <source>; %1 are there already</source>
        <translation>; %1 sind schon da</translation>
    </message>
    <message>
        <source>Comparison</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Backend</source>
        <translation>Backend</translation>
    </message>
    <message>
        <source>Policy</source>
        <translation>Regeln</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>%1 in %2</source>
        <translation>%1 in %2</translation>
    </message>
    <message numerus="yes">
        <source>%n render(s)</source>
        <translation>
            <numerusform>%n Rendering</numerusform>
            <numerusform>%n Renderings</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n comparison(s)</source>
        <translation>
            <numerusform>%n Vergleich</numerusform>
            <numerusform>%n Vergleichen</numerusform>
        </translation>
    </message>
    <message>
        <source>about %1</source>
        <translation>etwa %1</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>nicht bekannt</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>, how long isn&apos;t known</source>
        <translation>, wie lange, ist nicht bekannt</translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::MeasureJob</name>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>the result has more than %1 MB</source>
        <translation>das Ergebnis hat mehr als %1 MB</translation>
    </message>
    <message>
        <source>reelgrid-cli was killed (out of memory?)</source>
        <translation>reelgrid-cli wurde beendet (kein Speicher mehr?)</translation>
    </message>
    <message>
        <source>reelgrid-cli ended with code %1</source>
        <translation>reelgrid-cli endete mit Code %1</translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::MeasureJobs</name>
    <message>
        <source>waiting</source>
        <translation>wartet</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>done</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>startet</translation>
    </message>
    <message>
        <source>cancelling</source>
        <translation>bricht ab</translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::MeasureTools</name>
    <message>
        <source>Folder of captures</source>
        <translation>Ordner mit Mitschnitten</translation>
    </message>
    <message>
        <source>Open a trace</source>
        <translation>Trace öffnen</translation>
    </message>
    <message>
        <source>The trace before</source>
        <translation>Der Trace vorher</translation>
    </message>
    <message>
        <source>The trace after</source>
        <translation>Der Trace nachher</translation>
    </message>
    <message>
        <source>Open a result</source>
        <translation>Ergebnis öffnen</translation>
    </message>
    <message>
        <source>Results (*.json)</source>
        <translation>Ergebnisse (*.json)</translation>
    </message>
    <message>
        <source>Kernel benchmark</source>
        <translation>Kernel-Benchmark</translation>
    </message>
    <message>
        <source>VAE benchmark</source>
        <translation>VAE-Benchmark</translation>
    </message>
    <message>
        <source>as in the request editor: %1</source>
        <translation>wie im Auftrag: %1</translation>
    </message>
    <message>
        <source>Tune a policy</source>
        <translation>Regeln abstimmen</translation>
    </message>
    <message>
        <source>Capture %1</source>
        <translation>Mitschnitt %1</translation>
    </message>
    <message>
        <source>Trace %1</source>
        <translation>Trace %1</translation>
    </message>
    <message>
        <source>Captures in %1</source>
        <translation>Mitschnitte in %1</translation>
    </message>
    <message>
        <source>Traces %1</source>
        <translation>Traces %1</translation>
    </message>
    <message>
        <source>Error maps: no clip by %1 is on show or beside %2</source>
        <translation>Fehlerkarten: kein Clip von %1 wird gezeigt oder liegt neben %2</translation>
    </message>
    <message>
        <source>Traces (*.json.gz *.json);;All files (*)</source>
        <translation>Traces (*.json.gz *.json);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Error maps: no clip on show has them, and they can&apos;t be made: %1</source>
        <translation>Fehlerkarten: kein gezeigter Clip hat sie, und sie können nicht gemacht werden: %1</translation>
    </message>
    <message>
        <source>no backend but sdpa is on show or checked</source>
        <translation>kein Backend außer sdpa ist zu sehen oder ausgewählt</translation>
    </message>
    <message>
        <source>Error maps: %1</source>
        <translation>Fehlerkarten: %1</translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::MeasurementWindow</name>
    <message>
        <source>Save result…</source>
        <translation>Ergebnis speichern …</translation>
    </message>
    <message>
        <source>Saves the figures as JSON, which File › Open shows again</source>
        <translation>Speichert die Zahlen als JSON, das Datei › Öffnen wieder zeigt</translation>
    </message>
    <message>
        <source>Save result</source>
        <translation>Ergebnis speichern</translation>
    </message>
    <message>
        <source>Results (*.json)</source>
        <translation>Ergebnisse (*.json)</translation>
    </message>
    <message>
        <source>saved as %1</source>
        <translation>gespeichert als %1</translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::Measuring</name>
    <message>
        <source>%1: its manifest says that %2 rendered it; it is labelled %3</source>
        <translation>%1: laut Manifest hat %2 es gerendert; beschriftet ist es mit %3</translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::MetricList</name>
    <message>
        <source>reelgrid-cli ended with code %1</source>
        <translation>reelgrid-cli endete mit Code %1</translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::MissingPlugins</name>
    <message>
        <source>%1 was rendered by the attention plug-in “%2” (%3), which isn’t here: the clip plays; to render with it</source>
        <translation>%1 wurde mit dem Attention-Plug-in „%2“ (%3) gerendert, das hier fehlt: Der Clip läuft; um damit zu rendern:</translation>
    </message>
    <message>
        <source>The attention policy asks for “%1”, a plug-in that isn’t here: to render with it</source>
        <translation>Die Attention-Regeln verlangen „%1“, ein Plug-in, das hier fehlt; um damit zu rendern:</translation>
    </message>
    <message>
        <source>%1 add its file with File › Add attention plug-in…, or start with --backend-plugin FILE</source>
        <translation>%1 die Datei mit Datei › Attention-Plug-in hinzufügen … angeben oder mit --backend-plugin DATEI starten</translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::ModelBrowser</name>
    <message>
        <source>Render with this model</source>
        <translation>Mit diesem Modell rendern</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Present</source>
        <translation>Vorhanden</translation>
    </message>
    <message>
        <source>On disk</source>
        <translation>Auf der Platte</translation>
    </message>
    <message>
        <source>Weights in 16 bit</source>
        <translation>Gewichte in 16 Bit</translation>
    </message>
    <message>
        <source>Renders by default</source>
        <translation>Rendert von sich aus</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>Wo</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>%1×%2, %3 frames, %4 steps</source>
        <translation>%1×%2, %3 Bilder, %4 Schritte</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>Not on this machine. To get it: reelgrid-cli models download %1</source>
        <translation>Nicht auf dieser Maschine. Holen: reelgrid-cli models download %1</translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::Playback</name>
    <message>
        <source>preview, step %1 of %2</source>
        <translation>Vorschau, Schritt %1 von %2</translation>
    </message>
    <message>
        <source> · lossless</source>
        <translation> · verlustfrei</translation>
    </message>
    <message>
        <source> · encoded</source>
        <translation> · komprimiert</translation>
    </message>
    <message>
        <source> (differs)</source>
        <translation> (verschieden)</translation>
    </message>
    <message>
        <source>frames of %1 to %2 ms, taken at %3 frames/s</source>
        <translation>Bilder von %1 bis %2 ms, mit %3 Bildern/s genommen</translation>
    </message>
    <message>
        <source>frames of %1 to %2 ms, at their own times</source>
        <translation>Bilder von %1 bis %2 ms, zu ihren eigenen Zeiten</translation>
    </message>
    <message>
        <source>video track %1 of %2</source>
        <translation>Videospur %1 von %2</translation>
    </message>
    <message>
        <source>packets without a picture: %1</source>
        <translation>Pakete ohne Bild: %1</translation>
    </message>
    <message>
        <source>gaps in its stream: %1</source>
        <translation>Lücken im Datenstrom: %1</translation>
    </message>
    <message>
        <source>packets with the time of another one: %1</source>
        <translation>Pakete mit der Zeit eines anderen: %1</translation>
    </message>
    <message>
        <source>it says that it lasts %1 s</source>
        <translation>nach eigener Angabe %1 s lang</translation>
    </message>
    <message>
        <source>%1 of %2 listed frames are left out</source>
        <translation>%1 von %2 verzeichneten Bildern sind ausgelassen</translation>
    </message>
    <message>
        <source>turned to the nearest quarter</source>
        <translation>auf die nächste Vierteldrehung gedreht</translation>
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
    <name>reelgrid::studio::RenderController</name>
    <message>
        <source>, seed %1, %2 steps, %3</source>
        <translation>, Seed %1, %2 Schritte, %3</translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::RenderMenu</name>
    <message>
        <source>Library</source>
        <translation>Bibliothek</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Machines</source>
        <translation>Maschinen</translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::SessionController</name>
    <message>
        <source>%1: the file was replaced since it was opened; it is opened anew</source>
        <translation>%1: Die Datei wurde seit dem Öffnen ersetzt; sie wird neu geöffnet</translation>
    </message>
    <message>
        <source>%1: what it asks for is not there, and left out: %2</source>
        <translation>%1: Was sie verlangt, gibt es nicht, es entfällt: %2</translation>
    </message>
    <message numerus="yes">
        <source>%1: %n vote(s) that were saved there from elsewhere are added</source>
        <translation>
            <numerusform>%1: %n Stimme, die von anderswo dort gespeichert wurde, kommt hinzu</numerusform>
            <numerusform>%1: %n Stimmen, die von anderswo dort gespeichert wurden, kommen hinzu</numerusform>
        </translation>
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
    <message>
        <source>Save session</source>
        <translation>Sitzung speichern</translation>
    </message>
    <message>
        <source>%1 has changed since it was opened or saved here.</source>
        <translation>%1 hat sich geändert, seit die Datei hier geöffnet oder gespeichert wurde.</translation>
    </message>
    <message>
        <source>Somebody else has written it, perhaps another window. Overwriting it keeps their votes and loses what else they changed.</source>
        <translation>Jemand anderes hat sie geschrieben, vielleicht ein anderes Fenster. Überschreiben behält deren Stimmen und verliert, was sonst dort geändert wurde.</translation>
    </message>
    <message>
        <source>Overwrite</source>
        <translation>Überschreiben</translation>
    </message>
    <message>
        <source>Save As…</source>
        <translation>Speichern unter …</translation>
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
    <name>reelgrid::studio::SuiteTable</name>
    <message>
        <source>One of the lowest of its backend</source>
        <translation>Einer der niedrigsten seines Backends</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::SuiteWindow</name>
    <message>
        <source>Suite %1 – ReelGrid</source>
        <translation>Suite %1 – ReelGrid</translation>
    </message>
    <message>
        <source>What each value comes to</source>
        <translation>Was jeder Wert ergibt</translation>
    </message>
    <message>
        <source>The suite’s clips</source>
        <translation>Die Clips der Suite</translation>
    </message>
    <message>
        <source>Enter or a double click opens the grid of a row.</source>
        <translation>Eingabetaste oder Doppelklick öffnet das Raster einer Zeile.</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message numerus="yes">
        <source>%n clip(s)</source>
        <translation>
            <numerusform>%n Clip</numerusform>
            <numerusform>%n Clips</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n prompt(s)</source>
        <translation>
            <numerusform>%n Prompt</numerusform>
            <numerusform>%n Prompts</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n failed</source>
        <translation>
            <numerusform>%n fehlgeschlagen</numerusform>
            <numerusform>%n fehlgeschlagen</numerusform>
        </translation>
    </message>
    <message>
        <source>No clip was measured for %1: failed</source>
        <translation>Kein Clip wurde für %1 gemessen: nicht bestanden</translation>
    </message>
    <message>
        <source>Axis</source>
        <translation>Achse</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Maß</translation>
    </message>
    <message>
        <source>Mean (95 % interval)</source>
        <translation>Mittelwert (95-%-Intervall)</translation>
    </message>
    <message>
        <source>Difference from the first (95 % interval)</source>
        <translation>Unterschied zum ersten (95-%-Intervall)</translation>
    </message>
    <message>
        <source>Better in</source>
        <translation>Besser in</translation>
    </message>
    <message>
        <source>Clips</source>
        <translation>Clips</translation>
    </message>
    <message>
        <source>against %1</source>
        <translation>gegen %1</translation>
    </message>
    <message>
        <source>Which clips are shown</source>
        <translation>Welche Clips gezeigt werden</translation>
    </message>
    <message>
        <source>All clips</source>
        <translation>Alle Clips</translation>
    </message>
    <message>
        <source>The worst</source>
        <translation>Die schlechtesten</translation>
    </message>
    <message>
        <source>Short of the gate</source>
        <translation>Unter der Schwelle</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehlgeschlagen</translation>
    </message>
    <message>
        <source>Words of prompt, backend, error</source>
        <translation>Wörter aus Prompt, Backend, Fehler</translation>
    </message>
    <message>
        <source>Look for clips</source>
        <translation>Clips suchen</translation>
    </message>
    <message>
        <source>What the blind test compares</source>
        <translation>Was der Blindtest vergleicht</translation>
    </message>
    <message>
        <source>Blind test</source>
        <translation>Blindtest</translation>
    </message>
    <message>
        <source>Shows two clips of one subject without names: which one looks better?</source>
        <translation>Zeigt zwei Clips eines Motivs ohne Namen: welcher sieht besser aus?</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>Ergebnisse</translation>
    </message>
    <message>
        <source>Forget votes</source>
        <translation>Stimmen vergessen</translation>
    </message>
    <message>
        <source>%1 is not the row’s render: %2</source>
        <translation>%1 ist nicht das Rendering der Zeile: %2</translation>
    </message>
</context>
<context>
    <name>reelgrid::studio::UnsavedWorkKeeper</name>
    <message>
        <source>What isn&apos;t saved would be lost with this window, as it can&apos;t be kept: %1</source>
        <translation>Was nicht gespeichert ist, ginge mit diesem Fenster verloren, denn es lässt sich nicht aufheben: %1</translation>
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
        <source>What the VAE decodes in. fp32, unless the model&apos;s authors decode in less; bf16 and fp16 take half the memory</source>
        <translation>Worin der VAE dekodiert. fp32, wenn die Autoren des Modells nicht in weniger dekodieren; bf16 und fp16 brauchen halb so viel Speicher</translation>
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
    <message>
        <source>Step cache</source>
        <translation>Schrittspeicher</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>Cache</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Leaves blocks of passes out that hardly change: a share, such as 0.28, that the first block&apos;s changes add up to less than; teacache:0.1, magcache:0.12 or taylorseer:3. Faster, with some loss. Render sdpa without it, too, to see how much</source>
        <translation>Lässt Blöcke von Durchgängen aus, die sich kaum ändern: ein Anteil, etwa 0.28, unter dem die Summe der Änderungen des ersten Blocks bleibt; teacache:0.1, magcache:0.12 oder taylorseer:3. Schneller, mit etwas Verlust. Zum Vergleich auch sdpa ohne ihn rendern</translation>
    </message>
    <message>
        <source>Linear layers</source>
        <translation>Lineare Schichten</translation>
    </message>
    <message>
        <source>What they multiply: int8 and fp8 round weights and values in blocks, faster, with some loss. Else the number format, or int8 where the checkpoint stores that</source>
        <translation>Was sie multiplizieren: int8 und fp8 runden Gewichte und Werte in Blöcken, schneller, mit etwas Verlust. Sonst das Zahlenformat, oder int8, wo der Checkpoint das speichert</translation>
    </message>
    <message>
        <source>as stored</source>
        <translation>wie gespeichert</translation>
    </message>
    <message>
        <source>Sigma</source>
        <translation>Sigma</translation>
    </message>
    <message>
        <source>Noise that rCM&apos;s sampler starts from</source>
        <translation>Rauschen, von dem der Sampler von rCM ausgeht</translation>
    </message>
    <message>
        <source>Boundary</source>
        <translation>Grenze</translation>
    </message>
    <message>
        <source>Between two experts, of 1</source>
        <translation>Zwischen zwei Experten, von 1</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::BackendMap</name>
    <message>
        <source>Whose calls</source>
        <translation>Wessen Aufrufe</translation>
    </message>
    <message>
        <source>Which attention</source>
        <translation>Welche Attention</translation>
    </message>
    <message>
        <source>Which backend served each layer in each step appears with the first clip that was rendered by this version.</source>
        <translation>Welches Backend jede Schicht in jedem Schritt bediente, erscheint mit dem ersten Clip, den diese Version gerendert hat.</translation>
    </message>
    <message>
        <source>step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>layer %1, step %2: </source>
        <translation>Schicht %1, Schritt %2: </translation>
    </message>
    <message>
        <source>no call</source>
        <translation>kein Aufruf</translation>
    </message>
    <message>
        <source>asked for %1, ran %2</source>
        <translation>verlangt %1, lief %2</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::BarPlot</name>
    <message>
        <source>name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>up to</source>
        <translation>bis</translation>
    </message>
    <message>
        <source>from</source>
        <translation>von</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::CaptureDetailsView</name>
    <message>
        <source>VALUES</source>
        <translation>WERTE</translation>
    </message>
    <message>
        <source>CHANNELS</source>
        <translation>KANÄLE</translation>
    </message>
    <message>
        <source>ATTENTION</source>
        <translation>ATTENTION</translation>
    </message>
    <message>
        <source>Channels</source>
        <translation>Kanäle</translation>
    </message>
    <message>
        <source>Histogram</source>
        <translation>Histogramm</translation>
    </message>
    <message>
        <source>Outliers</source>
        <translation>Ausreißer</translation>
    </message>
    <message>
        <source>tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>Mittel</translation>
    </message>
    <message>
        <source>std</source>
        <translation>Std.-Abw.</translation>
    </message>
    <message>
        <source>absmax</source>
        <translation>Betragsmax.</translation>
    </message>
    <message>
        <source>least</source>
        <translation>kleinster</translation>
    </message>
    <message>
        <source>largest</source>
        <translation>größter</translation>
    </message>
    <message>
        <source>NaN</source>
        <translation>NaN</translation>
    </message>
    <message>
        <source>infinite</source>
        <translation>unendlich</translation>
    </message>
    <message>
        <source>values</source>
        <translation>Werte</translation>
    </message>
    <message>
        <source>farthest channel</source>
        <translation>fernster Kanal</translation>
    </message>
    <message>
        <source>%1× the median</source>
        <translation>%1× der Median</translation>
    </message>
    <message>
        <source>value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>how many, all heads</source>
        <translation>wie viele, alle Köpfe</translation>
    </message>
    <message>
        <source>%1 channel %2: %3, %4× the median</source>
        <translation>%1 Kanal %2: %3, %4× der Median</translation>
    </message>
    <message>
        <source>channel of head %1</source>
        <translation>Kanal von Kopf %1</translation>
    </message>
    <message>
        <source>absmax over its tokens</source>
        <translation>Betragsmaximum über seine Token</translation>
    </message>
    <message>
        <source>head</source>
        <translation>Kopf</translation>
    </message>
    <message>
        <source>channel</source>
        <translation>Kanal</translation>
    </message>
    <message>
        <source>× the head&apos;s median</source>
        <translation>× der Median des Kopfes</translation>
    </message>
    <message>
        <source>keys, %1 in %2 blocks</source>
        <translation>Keys, %1 in %2 Blöcken</translation>
    </message>
    <message>
        <source>queries, %1 in %2 blocks</source>
        <translation>Queries, %1 in %2 Blöcken</translation>
    </message>
    <message>
        <source>mean weight of a key in head %1</source>
        <translation>mittleres Gewicht eines Keys in Kopf %1</translation>
    </message>
    <message>
        <source>queries %1, keys %2: %3, %4× uniform</source>
        <translation>Queries %1, Keys %2: %3, %4× gleichverteilt</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>Kept blocks</source>
        <translation>Behaltene Blöcke</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::CapturesView</name>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>head </source>
        <translation>Kopf </translation>
    </message>
    <message>
        <source>Head</source>
        <translation>Kopf</translation>
    </message>
    <message>
        <source>Kernel benchmark…</source>
        <translation>Kernel-Benchmark …</translation>
    </message>
    <message>
        <source>Times attention kernels on the captures of this folder</source>
        <translation>Misst Attention-Kernel an den Mitschnitten dieses Ordners</translation>
    </message>
    <message>
        <source>%1 files can&apos;t be read; the first: %2</source>
        <translation>%1 Dateien lassen sich nicht lesen; die erste: %2</translation>
    </message>
    <message>
        <source>reading</source>
        <translation>liest</translation>
    </message>
    <message>
        <source>%1   %2 of each block&apos;s queries were computed</source>
        <translation>%1   %2 der Queries jedes Blocks wurden berechnet</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::ChartFrame</name>
    <message>
        <source>Save or detach this chart</source>
        <translation>Dieses Diagramm speichern oder ablösen</translation>
    </message>
    <message>
        <source>Save as %1…</source>
        <translation>Als %1 speichern …</translation>
    </message>
    <message>
        <source>Detach</source>
        <translation>Ablösen</translation>
    </message>
    <message>
        <source>Put back</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>Save the chart</source>
        <translation>Diagramm speichern</translation>
    </message>
    <message>
        <source>View of the chart</source>
        <translation>Ansicht des Diagramms</translation>
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
    <message>
        <source>Curves</source>
        <translation>Kurven</translation>
    </message>
    <message>
        <source>Frames</source>
        <translation>Bilder</translation>
    </message>
    <message>
        <source>%1 (noise floor)</source>
        <translation>%1 (Grundrauschen)</translation>
    </message>
    <message>
        <source>%1 at %2 s</source>
        <translation>%1 bei %2 s</translation>
    </message>
    <message>
        <source>Verdicts</source>
        <translation>Urteile</translation>
    </message>
    <message>
        <source>Numbers</source>
        <translation>Zahlen</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::ErrorMapView</name>
    <message>
        <source>1 − cosine</source>
        <translation>1 − Kosinus</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Messen</translation>
    </message>
    <message>
        <source>%1 layers × %2 steps on the latents of the %3 clip. A click shows the backend&apos;s clip where it differs most.</source>
        <translation>%1 Schichten × %2 Schritte auf den Latents des %3-Clips. Ein Klick zeigt den Clip des Backends, wo er am meisten abweicht.</translation>
    </message>
    <message>
        <source>denoising step</source>
        <translation>Entrauschungsschritt</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>whole pass</source>
        <translation>ganzer Durchgang</translation>
    </message>
    <message>
        <source>step %1, whole pass</source>
        <translation>Schritt %1, ganzer Durchgang</translation>
    </message>
    <message>
        <source>step %1, layer %2</source>
        <translation>Schritt %1, Schicht %2</translation>
    </message>
    <message>
        <source>: not measured</source>
        <translation>: nicht gemessen</translation>
    </message>
    <message>
        <source>:  cosine %1   L1 %2   RMSE %3</source>
        <translation>:  Kosinus %1   L1 %2   RMSE %3</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::ExecutionFields</name>
    <message>
        <source>Offload</source>
        <translation>Auslagern</translation>
    </message>
    <message>
        <source>Tiles of the VAE</source>
        <translation>Kacheln des VAE</translation>
    </message>
    <message>
        <source>Pixels of a tile</source>
        <translation>Pixel einer Kachel</translation>
    </message>
    <message>
        <source>Steps between kept ones</source>
        <translation>Schritte zwischen behaltenen</translation>
    </message>
    <message>
        <source>FP8 products</source>
        <translation>FP8-Produkte</translation>
    </message>
    <message>
        <source>The linear layers&apos; products in e4m3: faster on GPUs from Ada and Hopper on, with some loss. Elsewhere the rounded values are multiplied in the number format above</source>
        <translation>Die Produkte der linearen Schichten in e4m3: schneller auf GPUs ab Ada und Hopper, mit etwas Verlust. Anderswo werden die gerundeten Werte im obigen Zahlenformat multipliziert</translation>
    </message>
    <message>
        <source>bf16 time embedding</source>
        <translation>Zeiteinbettung in bf16</translation>
    </message>
    <message>
        <source>The time embedding&apos;s two products in bf16; else they are fp32</source>
        <translation>Die zwei Produkte der Zeiteinbettung in bf16; sonst sind sie fp32</translation>
    </message>
    <message>
        <source>CUDA graphs</source>
        <translation>CUDA-Graphen</translation>
    </message>
    <message>
        <source>Each denoising pass as one CUDA graph: less work for the processor</source>
        <translation>Jeder Entrauschungsdurchgang als ein CUDA-Graph: weniger Arbeit für den Prozessor</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>automatisch</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>blocks</source>
        <translation>Blöcke</translation>
    </message>
    <message>
        <source>Where the model&apos;s blocks are while they aren&apos;t needed: on a GPU in host memory, on the processor in their file. Automatic: where the whole model doesn&apos;t fit</source>
        <translation>Wo die Blöcke des Modells sind, solange sie nicht gebraucht werden: bei einer GPU im Hauptspeicher, beim Prozessor in ihrer Datei. Automatisch: wo das ganze Modell nicht hineinpasst</translation>
    </message>
    <message>
        <source>always</source>
        <translation>immer</translation>
    </message>
    <message>
        <source>never</source>
        <translation>nie</translation>
    </message>
    <message>
        <source>Decode in overlapping tiles, which takes less memory. Automatic: where the whole doesn&apos;t fit</source>
        <translation>In überlappenden Kacheln dekodieren, was weniger Speicher braucht. Automatisch: wo das Ganze nicht hineinpasst</translation>
    </message>
    <message>
        <source>Along an edge</source>
        <translation>Entlang einer Kante</translation>
    </message>
    <message>
        <source>So many steps lie between two that an interrupted render can be taken up from</source>
        <translation>So viele Schritte liegen zwischen zweien, von denen aus ein unterbrochenes Rendering fortgesetzt werden kann</translation>
    </message>
    <message>
        <source>Tiles</source>
        <translation>Kacheln</translation>
    </message>
    <message>
        <source>of px</source>
        <translation>zu px</translation>
    </message>
    <message>
        <source>Keep steps: every</source>
        <translation>Schritte behalten: jeden</translation>
    </message>
    <message>
        <source>Keep frames without loss</source>
        <translation>Frames verlustfrei aufheben</translation>
    </message>
    <message>
        <source>Beside each clip, about half as large as its pixels: what tiles, differences and measurements read in the place of the encoded clip</source>
        <translation>Neben jedem Clip, etwa halb so groß wie seine Pixel: was Kacheln, Differenzen und Messungen statt des komprimierten Clips lesen</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::ExpertFields</name>
    <message>
        <source>Guidance of the low-noise expert</source>
        <translation>Guidance des Low-Noise-Experten</translation>
    </message>
    <message>
        <source>Guidance of the second expert, which makes the last steps</source>
        <translation>Guidance des zweiten Experten, der die letzten Schritte macht</translation>
    </message>
    <message>
        <source>Low-noise guidance</source>
        <translation>Guidance (Low-Noise)</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::HeatMapPlot</name>
    <message>
        <source>not measured</source>
        <translation>nicht gemessen</translation>
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
    <message>
        <source>The render that runs goes on; no other starts until the queue is resumed</source>
        <translation>Das laufende Rendering geht weiter; kein anderes beginnt, bis die Warteschlange fortgesetzt wird</translation>
    </message>
    <message>
        <source>Resume queue</source>
        <translation>Warteschlange fortsetzen</translation>
    </message>
    <message>
        <source>Pause queue</source>
        <translation>Warteschlange anhalten</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::JobRow</name>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Show log</source>
        <translation>Protokoll zeigen</translation>
    </message>
    <message>
        <source> · %1 left</source>
        <translation> · noch %1</translation>
    </message>
    <message>
        <source>Render earlier</source>
        <translation>Früher rendern</translation>
    </message>
    <message>
        <source>Render later</source>
        <translation>Später rendern</translation>
    </message>
    <message>
        <source>Render again</source>
        <translation>Noch einmal rendern</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Go on from the last step that was kept</source>
        <translation>Beim letzten behaltenen Schritt weitermachen</translation>
    </message>
    <message>
        <source>From the start</source>
        <translation>Von vorn</translation>
    </message>
    <message>
        <source>Render again; the kept steps are replaced</source>
        <translation>Noch einmal rendern; die behaltenen Schritte werden ersetzt</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>Delete the kept steps</source>
        <translation>Die behaltenen Schritte löschen</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::KeptMapForm</name>
    <message>
        <source>no map of kept blocks</source>
        <translation>keine Karte behaltener Blöcke</translation>
    </message>
    <message>
        <source>Map of kept blocks</source>
        <translation>Karte behaltener Blöcke</translation>
    </message>
    <message>
        <source>Which blocks of keys a sparse backend attends to in this call</source>
        <translation>Welche Blöcke von Keys ein dünn besetztes Backend in diesem Aufruf betrachtet</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::KeptMapView</name>
    <message>
        <source>KEPT BLOCKS</source>
        <translation>BEHALTENE BLÖCKE</translation>
    </message>
    <message>
        <source>HEADS</source>
        <translation>KÖPFE</translation>
    </message>
    <message>
        <source>What is left out</source>
        <translation>Was wegfällt</translation>
    </message>
    <message>
        <source>Colours the blocks that are left out, by the weight that is lost with them</source>
        <translation>Färbt die Blöcke, die wegfallen, nach dem Gewicht, das mit ihnen verloren geht</translation>
    </message>
    <message>
        <source>%1%2 keeps %3 of head %4&apos;s pairs of blocks, which hold %5 of the weight; %6 of each block&apos;s queries were computed for that</source>
        <translation>%1%2 behält %3 der Blockpaare von Kopf %4; sie tragen %5 des Gewichts; dafür wurden %6 Queries je Block berechnet</translation>
    </message>
    <message>
        <source>blocks of %1 keys</source>
        <translation>Blöcke von %1 Keys</translation>
    </message>
    <message>
        <source>blocks of %1 queries</source>
        <translation>Blöcke von %1 Queries</translation>
    </message>
    <message>
        <source>weight of a kept block</source>
        <translation>Gewicht eines behaltenen Blocks</translation>
    </message>
    <message>
        <source>weight of a block left out</source>
        <translation>Gewicht eines Blocks, der wegfällt</translation>
    </message>
    <message>
        <source>kept</source>
        <translation>behalten</translation>
    </message>
    <message>
        <source>left out</source>
        <translation>fällt weg</translation>
    </message>
    <message>
        <source>queries&apos; block %1, %2
keys&apos; block %3, %4
%5, %6 of the queries&apos; weight</source>
        <translation>Block %1 der Queries, %2
Block %3 der Keys, %4
%5, %6 des Gewichts der Queries</translation>
    </message>
    <message>
        <source>head %1</source>
        <translation>Kopf %1</translation>
    </message>
    <message>
        <source>kept blocks, %</source>
        <translation>behaltene Blöcke, %</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::KernelForm</name>
    <message>
        <source>Times attention kernels in turns on the same input and holds each against float64. sdpa is always among them.</source>
        <translation>Misst Attention-Kernel reihum an derselben Eingabe und hält jeden gegen float64. sdpa ist immer dabei.</translation>
    </message>
    <message>
        <source>as many as a second takes</source>
        <translation>so viele, wie eine Sekunde fasst</translation>
    </message>
    <message>
        <source>all</source>
        <translation>alle</translation>
    </message>
    <message>
        <source>Causal mask</source>
        <translation>Kausale Maske</translation>
    </message>
    <message>
        <source>the demo model&apos;s self-attention</source>
        <translation>die Self-Attention des Demo-Modells</translation>
    </message>
    <message>
        <source>B,H,N,D or B,H,N,D,Nk; a model&apos;s name; or a folder of captures</source>
        <translation>B,H,N,D oder B,H,N,D,Nk; der Name eines Modells; oder ein Ordner mit Mitschnitten</translation>
    </message>
    <message>
        <source>bf16, or the captures&apos; own</source>
        <translation>bf16, oder das der Mitschnitte</translation>
    </message>
    <message>
        <source>Captures…</source>
        <translation>Mitschnitte …</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>Made-up values</source>
        <translation>Erfundene Werte</translation>
    </message>
    <message>
        <source>Captures at most</source>
        <translation>Mitschnitte höchstens</translation>
    </message>
    <message>
        <source>dtype</source>
        <translation>dtype</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Turns</source>
        <translation>Runden</translation>
    </message>
    <message>
        <source>Kernels</source>
        <translation>Kernel</translation>
    </message>
    <message>
        <source>Folder of captures</source>
        <translation>Ordner mit Mitschnitten</translation>
    </message>
    <message>
        <source>Kernels on %1</source>
        <translation>Kernel auf %1</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::KernelView</name>
    <message>
        <source>KERNELS</source>
        <translation>KERNEL</translation>
    </message>
    <message>
        <source>ROOFLINE</source>
        <translation>ROOFLINE</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>inputs: %1</source>
        <translation>Eingaben: %1</translation>
    </message>
    <message>
        <source>   %1×</source>
        <translation>   %1×</translation>
    </message>
    <message>
        <source>; whiskers: 5 % to 95 % of the turns</source>
        <translation>; Striche: 5 % bis 95 % der Runden</translation>
    </message>
    <message>
        <source>%1 roof</source>
        <translation>Dach %1</translation>
    </message>
    <message>
        <source>%1 roof: %2 GFLOP/s, %3 GB/s</source>
        <translation>Dach %1: %2 GFLOP/s, %3 GB/s</translation>
    </message>
    <message>
        <source>%1: %2 GFLOP/s at %3 FLOP/byte%4</source>
        <translation>%1: %2 GFLOP/s bei %3 FLOP/Byte%4</translation>
    </message>
    <message>
        <source>, as if dense</source>
        <translation>, als wäre es dicht</translation>
    </message>
    <message>
        <source>FLOP/byte</source>
        <translation>FLOP/Byte</translation>
    </message>
    <message>
        <source>GFLOP/s</source>
        <translation>GFLOP/s</translation>
    </message>
    <message>
        <source>kernel</source>
        <translation>Kernel</translation>
    </message>
    <message>
        <source>note</source>
        <translation>Anmerkung</translation>
    </message>
    <message>
        <source>ms p50</source>
        <translation>ms p50</translation>
    </message>
    <message>
        <source>p95</source>
        <translation>p95</translation>
    </message>
    <message>
        <source>kernel ms</source>
        <translation>Kernel-ms</translation>
    </message>
    <message>
        <source>turns</source>
        <translation>Runden</translation>
    </message>
    <message>
        <source>× sdpa</source>
        <translation>× sdpa</translation>
    </message>
    <message>
        <source>TFLOP/s</source>
        <translation>TFLOP/s</translation>
    </message>
    <message>
        <source>of peak</source>
        <translation>vom Gipfel</translation>
    </message>
    <message>
        <source>GB/s</source>
        <translation>GB/s</translation>
    </message>
    <message>
        <source>cosine</source>
        <translation>Kosinus</translation>
    </message>
    <message>
        <source>L1</source>
        <translation>L1</translation>
    </message>
    <message>
        <source>RMSE</source>
        <translation>RMSE</translation>
    </message>
    <message>
        <source>largest error</source>
        <translation>größter Fehler</translation>
    </message>
    <message>
        <source>rates as if dense</source>
        <translation>Raten, als wäre es dicht</translation>
    </message>
    <message>
        <source>above the measured peak: it ran at higher clocks than that, or the peak is not this machine&apos;s</source>
        <translation>über dem gemessenen Spitzenwert: es lief mit höherem Takt als dieser, oder er ist nicht der dieses Rechners</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Time of the kernel alone</source>
        <translation>Zeit des Kernels allein</translation>
    </message>
    <message>
        <source>Speed-up over sdpa</source>
        <translation>Beschleunigung gegenüber sdpa</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>Durchsatz</translation>
    </message>
    <message>
        <source>Bandwidth</source>
        <translation>Bandbreite</translation>
    </message>
    <message>
        <source>Relative L1 error</source>
        <translation>Relativer L1-Fehler</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::LoraFields</name>
    <message>
        <source>Add LoRA…</source>
        <translation>LoRA hinzufügen …</translation>
    </message>
    <message>
        <source>Add LoRA of the low-noise expert…</source>
        <translation>LoRA des Low-Noise-Experten hinzufügen …</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::LoraList</name>
    <message>
        <source>Merge a LoRA into the model: a .safetensors file by the names of diffusers or kohya</source>
        <translation>Ein LoRA in das Modell einrechnen: eine .safetensors-Datei mit den Namen von diffusers oder kohya</translation>
    </message>
    <message>
        <source>Scale of %1</source>
        <translation>Stärke von %1</translation>
    </message>
    <message>
        <source>How much of it is merged; 1: as it was trained</source>
        <translation>Wie viel davon eingerechnet wird; 1: wie trainiert</translation>
    </message>
    <message>
        <source>Render without this LoRA</source>
        <translation>Ohne dieses LoRA rendern</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>%1 entfernen</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::MeasureForm</name>
    <message>
        <source>Measure</source>
        <translation>Messen</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::MetricTable</name>
    <message>
        <source>What was measured of the clips</source>
        <translation>Was an den Clips gemessen wurde</translation>
    </message>
    <message>
        <source>clip</source>
        <translation>Clip</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::MetricsForm</name>
    <message>
        <source>Measures the clips on show by networks and programs that have to be on this machine, in a process of its own: on the GPU where there is one. The results are kept beside the clips: charts, report and tables show them.</source>
        <translation>Misst die gezeigten Clips mit Netzen und Programmen, die auf diesem Rechner sein müssen, in einem eigenen Prozess: auf der GPU, wo es eine gibt. Die Ergebnisse bleiben neben den Clips: Diagramme, Bericht und Tabellen zeigen sie.</translation>
    </message>
    <message>
        <source>Also after every render</source>
        <translation>Auch nach jedem Rendern</translation>
    </message>
    <message>
        <source>the caches of Hugging Face and torchvision alone</source>
        <translation>nur die Caches von Hugging Face und torchvision</translation>
    </message>
    <message>
        <source>A folder with weights, or a repository in the Hugging Face cache, beside what the caches have</source>
        <translation>Ein Ordner mit Gewichten oder ein Repository im Hugging-Face-Cache, zusätzlich zu dem, was die Caches haben</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Wählen …</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>Looking for weights…</source>
        <translation>Gewichte werden gesucht …</translation>
    </message>
    <message>
        <source>Folder of weights</source>
        <translation>Ordner mit Gewichten</translation>
    </message>
    <message>
        <source>It isn’t known what can be computed here</source>
        <translation>Was hier berechnet werden kann, ist nicht bekannt</translation>
    </message>
    <message>
        <source>None of these can be computed here: each says what it lacks</source>
        <translation>Nichts davon kann hier berechnet werden: bei jedem steht, was fehlt</translation>
    </message>
    <message>
        <source>Nothing is ticked: at least one metric is needed</source>
        <translation>Nichts ist angekreuzt: mindestens eine Metrik wird gebraucht</translation>
    </message>
    <message>
        <source>Metrics: %1</source>
        <translation>Metriken: %1</translation>
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
    <name>reelgrid::widgets::MotionFields</name>
    <message>
        <source>Loop</source>
        <translation>Schleife</translation>
    </message>
    <message>
        <source>The clip&apos;s end leads to its beginning</source>
        <translation>Das Ende des Clips führt zu seinem Anfang</translation>
    </message>
    <message>
        <source>Motion adapter</source>
        <translation>Bewegungsadapter</translation>
    </message>
    <message>
        <source>The model&apos;s own</source>
        <translation>Der des Modells</translation>
    </message>
    <message>
        <source>Motion modules in place of the model&apos;s: a folder, a file or a hub id</source>
        <translation>Bewegungsmodule anstelle derer des Modells: ein Ordner, eine Datei oder eine Hub-Kennung</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::PictureFields</name>
    <message>
        <source>First picture</source>
        <translation>Erstes Bild</translation>
    </message>
    <message>
        <source>Last picture</source>
        <translation>Letztes Bild</translation>
    </message>
    <message>
        <source>Cut to width × height</source>
        <translation>Auf Breite × Höhe zuschneiden</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>Aufgabe</translation>
    </message>
    <message>
        <source>PICTURE</source>
        <translation>BILD</translation>
    </message>
    <message>
        <source>Keep its shape</source>
        <translation>Form behalten</translation>
    </message>
    <message>
        <source>Stretch to width × height</source>
        <translation>Auf Breite × Höhe strecken</translation>
    </message>
    <message>
        <source>A picture of another shape</source>
        <translation>Ein Bild anderer Form</translation>
    </message>
    <message>
        <source>Where its shape is kept the clip has the area of width × height</source>
        <translation>Bleibt die Form, hat der Clip die Fläche von Breite × Höhe</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::PictureSlot</name>
    <message>
        <source>Choose…</source>
        <translation>Wählen …</translation>
    </message>
    <message>
        <source>A PNG, JPEG or WebP file; it can be dropped here, too</source>
        <translation>Eine PNG-, JPEG- oder WebP-Datei; sie kann auch hierher gezogen werden</translation>
    </message>
    <message>
        <source>Choose %1</source>
        <translation>%1 wählen</translation>
    </message>
    <message>
        <source>Render without this picture</source>
        <translation>Ohne dieses Bild rendern</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>%1 entfernen</translation>
    </message>
    <message>
        <source>drop here</source>
        <translation>hierher</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keines</translation>
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
    <name>reelgrid::widgets::PointsChart</name>
    <message>
        <source>series</source>
        <translation>Reihe</translation>
    </message>
    <message>
        <source>point</source>
        <translation>Punkt</translation>
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
    <message>
        <source>T5 is left out: CLIP&apos;s two encoders read the prompt</source>
        <translation>Ohne T5: Die beiden CLIP-Encoder lesen den Prompt</translation>
    </message>
    <message>
        <source>The model&apos;s folder has no text_encoder_3; with one, T5 reads it, too</source>
        <translation>Der Modellordner hat keinen text_encoder_3; mit ihm liest auch T5 den Prompt</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::PromptTable</name>
    <message>
        <source>Add prompt at a frame</source>
        <translation>Prompt ab einem Bild hinzufügen</translation>
    </message>
    <message>
        <source>From there on the clip is told another prompt, blended in from the one before</source>
        <translation>Von dort an gilt ein anderer Prompt, in den der vorige übergeht</translation>
    </message>
    <message>
        <source>Frame of a prompt</source>
        <translation>Bild eines Prompts</translation>
    </message>
    <message>
        <source>Prompt at frame %1</source>
        <translation>Prompt ab Bild %1</translation>
    </message>
    <message>
        <source>What is seen from there on</source>
        <translation>Was von dort an zu sehen ist</translation>
    </message>
    <message>
        <source>Render without this prompt</source>
        <translation>Ohne diesen Prompt rendern</translation>
    </message>
    <message>
        <source>Remove the prompt at frame %1</source>
        <translation>Prompt ab Bild %1 entfernen</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::RankFields</name>
    <message>
        <source>Ulysses degree</source>
        <translation>Ulysses-Grad</translation>
    </message>
    <message>
        <source>So many processes share a pass&apos;s tokens, and in attention its heads, of which it has to be a divisor. Each takes a GPU, where there are GPUs</source>
        <translation>So viele Prozesse teilen sich die Token eines Durchgangs und in der Attention seine Köpfe, deren Anzahl durch ihn teilbar sein muss. Jeder nimmt eine GPU, wo es GPUs gibt</translation>
    </message>
    <message>
        <source>Ring degree</source>
        <translation>Ring-Grad</translation>
    </message>
    <message>
        <source>So many processes share a pass&apos;s tokens and hand keys and values round</source>
        <translation>So viele Prozesse teilen sich die Token eines Durchgangs und reichen Keys und Values im Kreis weiter</translation>
    </message>
    <message>
        <source>Both passes of guidance at once</source>
        <translation>Beide Guidance-Durchgänge zugleich</translation>
    </message>
    <message>
        <source>Half of the processes compute each of guidance&apos;s two passes</source>
        <translation>Die Hälfte der Prozesse rechnet je einen der zwei Guidance-Durchgänge</translation>
    </message>
    <message>
        <source>A part of the weights in each process</source>
        <translation>Ein Teil der Gewichte in jedem Prozess</translation>
    </message>
    <message>
        <source>Each block is gathered while the one before computes: the model takes less memory of each GPU</source>
        <translation>Jeder Block wird gesammelt, während der vorige rechnet: Das Modell braucht weniger Speicher jeder GPU</translation>
    </message>
    <message>
        <source>Ulysses</source>
        <translation>Ulysses</translation>
    </message>
    <message>
        <source>Ring</source>
        <translation>Ring</translation>
    </message>
    <message numerus="yes">
        <source>%n processes render each clip; memory is of each</source>
        <translation>
            <numerusform>%n Prozess rendert jeden Clip</numerusform>
            <numerusform>%n Prozesse rendern jeden Clip; Speicher gilt je Prozess</numerusform>
        </translation>
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
    <message>
        <source>What the renders will take</source>
        <translation>Was die Renderings brauchen werden</translation>
    </message>
    <message>
        <source>the prompt</source>
        <translation>der Prompt</translation>
    </message>
    <message>
        <source>the negative prompt</source>
        <translation>der negative Prompt</translation>
    </message>
    <message>
        <source>Prompt 2</source>
        <translation>Prompt 2</translation>
    </message>
    <message>
        <source>What the second text encoder is given, CLIP bigG</source>
        <translation>Was der zweite Text-Encoder bekommt, CLIP bigG</translation>
    </message>
    <message>
        <source>Prompt 3</source>
        <translation>Prompt 3</translation>
    </message>
    <message>
        <source>What the third one is given, T5</source>
        <translation>Was der dritte bekommt, T5</translation>
    </message>
    <message>
        <source>Negative 2</source>
        <translation>Negativ 2</translation>
    </message>
    <message>
        <source>The second encoder&apos;s negative prompt</source>
        <translation>Negativer Prompt des zweiten Encoders</translation>
    </message>
    <message>
        <source>Negative 3</source>
        <translation>Negativ 3</translation>
    </message>
    <message>
        <source>T5&apos;s negative prompt</source>
        <translation>Negativer Prompt von T5</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>T5&apos;s tokens, padding among them</source>
        <translation>Tokens von T5, mit Auffüllung</translation>
    </message>
    <message>
        <source>Temporal module</source>
        <translation>Zeitmodul</translation>
    </message>
    <message>
        <source>Attention over frames in place of the model&apos;s: a folder or a hub id</source>
        <translation>Attention über die Bilder anstelle der des Modells: ein Ordner oder eine Hub-Id</translation>
    </message>
    <message>
        <source>the model&apos;s own</source>
        <translation>das des Modells</translation>
    </message>
    <message>
        <source>Temporal</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>How strongly frames see each other</source>
        <translation>Wie stark die Bilder einander sehen</translation>
    </message>
    <message>
        <source>Skip layers</source>
        <translation>Schichten auslassen</translation>
    </message>
    <message>
        <source>Skip-layer guidance: steer away from what a pass without these layers predicts, such as 7-9</source>
        <translation>Skip-Layer-Guidance: weg von dem, was ein Durchgang ohne diese Schichten vorhersagt, etwa 7-9</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>Skip scale</source>
        <translation>Stärke</translation>
    </message>
    <message>
        <source>How far to steer away</source>
        <translation>Wie weit davon weg</translation>
    </message>
    <message>
        <source>from</source>
        <translation>von</translation>
    </message>
    <message>
        <source>After which share of the steps</source>
        <translation>Nach welchem Anteil der Schritte</translation>
    </message>
    <message>
        <source>to</source>
        <translation>bis</translation>
    </message>
    <message>
        <source>Up to which share of the steps</source>
        <translation>Bis zu welchem Anteil der Schritte</translation>
    </message>
    <message>
        <source>Motion</source>
        <translation>Bewegung</translation>
    </message>
    <message>
        <source>Motion bucket: how much is to move, 0 to 255 in training</source>
        <translation>Motion-Bucket: wie viel sich bewegen soll, im Training 0 bis 255</translation>
    </message>
    <message>
        <source>Noise</source>
        <translation>Rauschen</translation>
    </message>
    <message>
        <source>Noise on the picture: more of it, and the clip keeps less to the picture</source>
        <translation>Rauschen auf dem Bild: mehr davon, und der Clip hält sich weniger an das Bild</translation>
    </message>
    <message>
        <source>Guidance</source>
        <translation>Guidance</translation>
    </message>
    <message>
        <source>At the first frame; it grows over the frames</source>
        <translation>Beim ersten Bild; sie wächst über die Bilder</translation>
    </message>
    <message>
        <source>Guidance at the last frame; at most 1: none</source>
        <translation>Guidance beim letzten Bild; höchstens 1: keine</translation>
    </message>
    <message>
        <source>Decode</source>
        <translation>Decodieren</translation>
    </message>
    <message>
        <source>Frames that are decoded together: fewer take less memory, and know less of each other</source>
        <translation>Bilder, die zusammen dekodiert werden: weniger brauchen weniger Speicher und wissen weniger voneinander</translation>
    </message>
    <message>
        <source>Keys kept by sla</source>
        <translation>Schlüssel von sla</translation>
    </message>
    <message>
        <source>Share of the key blocks that each block of queries keeps</source>
        <translation>Anteil der Schlüsselblöcke, die jeder Block von Anfragen behält</translation>
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
    <message>
        <source>Dynamic</source>
        <translation>Dynamisch</translation>
    </message>
    <message>
        <source>Dynamic guidance</source>
        <translation>Dynamische Guidance</translation>
    </message>
    <message>
        <source>Guidance follows the steps, from 1 on, by the formula of the model&apos;s reference</source>
        <translation>Die Guidance folgt den Schritten, von 1 an, nach der Formel der Referenz des Modells</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::SoundPlayer</name>
    <message>
        <source>No sound: %1</source>
        <translation>Kein Ton: %1</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::ThumbnailStrip</name>
    <message>
        <source>Frames of every clip along the time</source>
        <translation>Bilder jedes Clips über der Zeit</translation>
    </message>
    <message>
        <source>Frames appear with the first clip.</source>
        <translation>Bilder erscheinen mit dem ersten Clip.</translation>
    </message>
    <message>
        <source>%1: frame %2 at %3 s</source>
        <translation>%1: Bild %2 bei %3 s</translation>
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
    <message>
        <source>Speed-up</source>
        <translation>Beschleunigung</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Backends</source>
        <translation>Backends</translation>
    </message>
    <message>
        <source>%1×</source>
        <translation>%1×</translation>
    </message>
    <message>
        <source>%1 against %2
denoise %3×</source>
        <translation>%1 gegen %2
entrauscht %3×</translation>
    </message>
    <message>
        <source>
attention %1×</source>
        <translation>
Attention %1×</translation>
    </message>
    <message>
        <source>
whole render %1×</source>
        <translation>
ganzes Rendering %1×</translation>
    </message>
    <message>
        <source>speed-up of denoising</source>
        <translation>Beschleunigung des Entrauschens</translation>
    </message>
    <message>
        <source>speed-up of denoising, %1 = 1</source>
        <translation>Beschleunigung des Entrauschens, %1 = 1</translation>
    </message>
    <message>
        <source>peak memory in GB, the model included</source>
        <translation>höchster Speicherbedarf in GB, mit dem Modell</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>Times appear with the first render.</source>
        <translation>Zeiten erscheinen mit dem ersten Rendering.</translation>
    </message>
    <message>
        <source>seconds, of different machines: not comparable</source>
        <translation>Sekunden verschiedener Maschinen: nicht vergleichbar</translation>
    </message>
    <message>
        <source>this machine</source>
        <translation>diese Maschine</translation>
    </message>
    <message>
        <source>seconds, with starts that the ratios leave out</source>
        <translation>Sekunden, mit Anlaufzeiten, die die Verhältnisse auslassen</translation>
    </message>
    <message>
        <source>The first denoising steps of a render took longer than its later ones: a device&apos;s libraries start, kernels are compiled or tuned. Ratios of denoising leave that out; two repetitions measure without it.</source>
        <translation>Die ersten Schritte eines Renderings dauerten länger als die späteren: Bibliotheken des Geräts laufen an, Kernel werden übersetzt oder abgestimmt. Verhältnisse des Entrauschens lassen das aus; zwei Wiederholungen messen ohne es.</translation>
    </message>
    <message>
        <source>%1×, other work</source>
        <translation>%1×, andere Arbeit</translation>
    </message>
    <message>
        <source>
differs: %1</source>
        <translation>
verschieden: %1</translation>
    </message>
    <message>
        <source> (differs: %1)</source>
        <translation> (verschieden: %1)</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::TraceComparisonView</name>
    <message>
        <source>%1: before %2, after %3</source>
        <translation>%1: vorher %2, nachher %3</translation>
    </message>
    <message>
        <source>time of the device</source>
        <translation>Zeit des Geräts</translation>
    </message>
    <message>
        <source>time of the threads</source>
        <translation>Zeit der Threads</translation>
    </message>
    <message>
        <source>.  The work is not the same: %1 steps were recorded before, %2 after</source>
        <translation>.  Die Arbeit ist nicht dieselbe: %1 Schritte wurden vorher aufgezeichnet, %2 nachher</translation>
    </message>
    <message>
        <source>WHAT CHANGED</source>
        <translation>WAS SICH ÄNDERTE</translation>
    </message>
    <message>
        <source>seconds more (less is better)</source>
        <translation>Sekunden mehr (weniger ist besser)</translation>
    </message>
    <message>
        <source>Operators and kernels</source>
        <translation>Operatoren und Kernel</translation>
    </message>
    <message>
        <source>Groups</source>
        <translation>Gruppen</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::TraceView</name>
    <message>
        <source>%1 events   %2 from the first to the last   threads %3</source>
        <translation>%1 Ereignisse   %2 vom ersten bis zum letzten   Threads %3</translation>
    </message>
    <message>
        <source>   device %1</source>
        <translation>   Gerät %1</translation>
    </message>
    <message>
        <source>events %1</source>
        <translation>Ereignisse %1</translation>
    </message>
    <message>
        <source>Operators and kernels</source>
        <translation>Operatoren und Kernel</translation>
    </message>
    <message>
        <source>Stages</source>
        <translation>Abschnitte</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
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
    <name>reelgrid::widgets::TuneForm</name>
    <message>
        <source>Looks for the fastest backend of every layer and step whose clip stays within the budget, against sdpa. Renders sdpa, each backend, and some policies.</source>
        <translation>Sucht für jede Schicht und jeden Schritt das schnellste Backend, dessen Clip gegen sdpa im Rahmen bleibt. Rendert sdpa, jedes Backend und einige Regeln.</translation>
    </message>
    <message>
        <source>psnr&gt;=DB or ssim&gt;=N of the frames, l1&lt;=N or cosine&gt;=N of the final latents</source>
        <translation>psnr&gt;=DB oder ssim&gt;=N der Bilder, l1&lt;=N oder cosine&gt;=N der letzten Latents</translation>
    </message>
    <message>
        <source>Render</source>
        <translation>Rendern</translation>
    </message>
    <message>
        <source>Budget</source>
        <translation>Rahmen</translation>
    </message>
    <message>
        <source>Policies at most</source>
        <translation>Regeln höchstens</translation>
    </message>
    <message>
        <source>Backends</source>
        <translation>Backends</translation>
    </message>
    <message>
        <source>Policy within %1</source>
        <translation>Regeln im Rahmen %1</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::TuningView</name>
    <message>
        <source>QUALITY OVER TIME</source>
        <translation>QUALITÄT ÜBER ZEIT</translation>
    </message>
    <message>
        <source>Use this policy</source>
        <translation>Diese Regeln nehmen</translation>
    </message>
    <message>
        <source>budget %1   %2</source>
        <translation>Rahmen %1   %2</translation>
    </message>
    <message>
        <source>Puts the chosen clip&apos;s attention policy into the request editor</source>
        <translation>Setzt die Attention-Regeln des gewählten Clips in den Auftrag</translation>
    </message>
    <message>
        <source>predicted curve</source>
        <translation>vorhergesagte Kurve</translation>
    </message>
    <message>
        <source>predicted for a policy</source>
        <translation>für Regeln vorhergesagt</translation>
    </message>
    <message>
        <source>policies, measured</source>
        <translation>Regeln, gemessen</translation>
    </message>
    <message>
        <source>%1: %2, %3; click to use it</source>
        <translation>%1: %2, %3; Klick übernimmt sie</translation>
    </message>
    <message>
        <source>seconds of self-attention</source>
        <translation>Sekunden der Self-Attention</translation>
    </message>
    <message>
        <source>seconds of denoising</source>
        <translation>Sekunden des Entrauschens</translation>
    </message>
    <message>
        <source>render</source>
        <translation>Rendering</translation>
    </message>
    <message>
        <source>within the budget</source>
        <translation>im Rahmen</translation>
    </message>
    <message>
        <source>predicted s</source>
        <translation>vorhergesagt s</translation>
    </message>
    <message>
        <source>measured s</source>
        <translation>gemessen s</translation>
    </message>
    <message>
        <source>predicted quality</source>
        <translation>vorhergesagte Qualität</translation>
    </message>
    <message>
        <source>measured quality</source>
        <translation>gemessene Qualität</translation>
    </message>
    <message>
        <source>PSNR</source>
        <translation>PSNR</translation>
    </message>
    <message>
        <source>SSIM</source>
        <translation>SSIM</translation>
    </message>
    <message>
        <source>L1</source>
        <translation>L1</translation>
    </message>
    <message>
        <source>cosine</source>
        <translation>Kosinus</translation>
    </message>
    <message>
        <source>rules</source>
        <translation>Regeln</translation>
    </message>
    <message>
        <source>  (chosen)</source>
        <translation>  (gewählt)</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>The request editor has the policy of %1.</source>
        <translation>Der Auftrag hat die Regeln von %1.</translation>
    </message>
    <message>
        <source>predicted: %1, %2; click to tune for it</source>
        <translation>vorhergesagt: %1, %2; Klick stimmt darauf ab</translation>
    </message>
    <message>
        <source>%1, predicted: %2, %3; click to use it</source>
        <translation>%1, vorhergesagt: %2, %3; Klick übernimmt es</translation>
    </message>
    <message>
        <source>Predicted alone: no clip was rendered at %1 and %2, and the result keeps no policy of it. Tuning for that budget finds one and checks it.</source>
        <translation>Nur vorhergesagt: Bei %1 und %2 wurde kein Clip gerendert, und das Ergebnis enthält keine Regeln dafür. Das Abstimmen auf dieses Budget findet welche und prüft sie.</translation>
    </message>
    <message>
        <source>Tune for %1…</source>
        <translation>Auf %1 abstimmen …</translation>
    </message>
    <message>
        <source>The request editor has the policy of %1; that point is predicted, measured were %2 and %3.</source>
        <translation>Die Anfrage hat die Regeln von %1; der Punkt ist vorhergesagt, gemessen wurden %2 und %3.</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::VaeForm</name>
    <message>
        <source>Encodes and decodes a made-up clip with a model&apos;s VAE alone. fp32 is always measured: what the others are held against.</source>
        <translation>Kodiert und dekodiert einen erfundenen Clip allein mit dem VAE eines Modells. fp32 wird immer gemessen: daran werden die anderen gehalten.</translation>
    </message>
    <message>
        <source>demo, a hub id in the local cache, a diffusers folder or a .safetensors file</source>
        <translation>demo, eine Hub-Kennung im lokalen Cache, ein diffusers-Ordner oder eine .safetensors-Datei</translation>
    </message>
    <message>
        <source>weights and activations in bf16</source>
        <translation>Gewichte und Aktivierungen in bf16</translation>
    </message>
    <message>
        <source>fp32 in tiles</source>
        <translation>fp32 in Kacheln</translation>
    </message>
    <message>
        <source>as --vae-tiling on decodes</source>
        <translation>wie --vae-tiling on dekodiert</translation>
    </message>
    <message>
        <source>bf16 in tiles</source>
        <translation>bf16 in Kacheln</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Frames</source>
        <translation>Bilder</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Pixels of a tile</source>
        <translation>Pixel einer Kachel</translation>
    </message>
    <message>
        <source>Warm-up passes</source>
        <translation>Durchgänge zum Aufwärmen</translation>
    </message>
    <message>
        <source>Timed passes</source>
        <translation>Gemessene Durchgänge</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Beside fp32</source>
        <translation>Neben fp32</translation>
    </message>
    <message>
        <source>VAE %1, %2 frames</source>
        <translation>VAE %1, %2 Bilder</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::VaeView</name>
    <message>
        <source>CONFIGURATIONS</source>
        <translation>KONFIGURATIONEN</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>%1   clip %2   tiles of %3 pixels   %4 passes</source>
        <translation>%1   Clip %2   Kacheln von %3 Pixeln   %4 Durchgänge</translation>
    </message>
    <message>
        <source>; whiskers: fastest to slowest pass</source>
        <translation>; Striche: schnellster bis langsamster Durchgang</translation>
    </message>
    <message>
        <source>configuration</source>
        <translation>Konfiguration</translation>
    </message>
    <message>
        <source>note</source>
        <translation>Anmerkung</translation>
    </message>
    <message>
        <source>encode</source>
        <translation>Kodieren</translation>
    </message>
    <message>
        <source>decode</source>
        <translation>Dekodieren</translation>
    </message>
    <message>
        <source>encode peak</source>
        <translation>Spitze Kodieren</translation>
    </message>
    <message>
        <source>decode peak</source>
        <translation>Spitze Dekodieren</translation>
    </message>
    <message>
        <source>latents SNR, dB</source>
        <translation>Latents-SNR, dB</translation>
    </message>
    <message>
        <source>decode PSNR, dB</source>
        <translation>Dekodier-PSNR, dB</translation>
    </message>
    <message>
        <source>to the clip, dB</source>
        <translation>zum Clip, dB</translation>
    </message>
    <message>
        <source>Decode</source>
        <translation>Decodieren</translation>
    </message>
    <message>
        <source>Encode</source>
        <translation>Encodieren</translation>
    </message>
    <message>
        <source>Peak memory of decoding</source>
        <translation>Spitzenspeicher beim Decodieren</translation>
    </message>
    <message>
        <source>Peak memory of encoding</source>
        <translation>Spitzenspeicher beim Encodieren</translation>
    </message>
    <message>
        <source>PSNR of the decoded frames against fp32</source>
        <translation>PSNR der decodierten Bilder gegen fp32</translation>
    </message>
    <message>
        <source>PSNR against the clip that went in</source>
        <translation>PSNR gegen den eingegebenen Clip</translation>
    </message>
</context>
<context>
    <name>reelgrid::widgets::VerdictTable</name>
    <message>
        <source>What the clips’ coherence comes to</source>
        <translation>Was die Kohärenz der Clips ergibt</translation>
    </message>
    <message>
        <source>clip</source>
        <translation>Clip</translation>
    </message>
    <message>
        <source>verdict</source>
        <translation>Urteil</translation>
    </message>
    <message>
        <source>Frozen and cross-faded clips correlate as well as moving ones: coherent is a clip whose frames correlate, that moves, and whose changes either don’t repeat or are explained by flow.</source>
        <translation>Eingefrorene und überblendete Clips korrelieren so gut wie bewegte: kohärent ist ein Clip, dessen Frames korrelieren, in dem sich etwas bewegt und dessen Änderungen sich nicht gleichen oder durch Fluss erklärt sind.</translation>
    </message>
    <message>
        <source>not judged</source>
        <translation>nicht beurteilt</translation>
    </message>
    <message>
        <source>Fewer than three frames, or measured by an older program</source>
        <translation>Weniger als drei Frames, oder von einem älteren Programm gemessen</translation>
    </message>
    <message>
        <source>correlation
&gt; %1, &gt; %2</source>
        <translation>Korrelation
&gt; %1, &gt; %2</translation>
    </message>
    <message>
        <source>Of neighbouring frames: above %1 is asked of a run, above %2 of a temporal module</source>
        <translation>Benachbarter Frames: über %1 wird von einem Lauf verlangt, über %2 von einem Zeitmodul</translation>
    </message>
    <message>
        <source>latents</source>
        <translation>Latents</translation>
    </message>
    <message>
        <source>Frame correlation of the latents</source>
        <translation>Frame-Korrelation der Latents</translation>
    </message>
    <message>
        <source>apart</source>
        <translation>einzeln</translation>
    </message>
    <message>
        <source>Frame correlation of frames that were made apart</source>
        <translation>Frame-Korrelation einzeln erzeugter Frames</translation>
    </message>
    <message>
        <source>motion
≥ %1</source>
        <translation>Bewegung
≥ %1</translation>
    </message>
    <message>
        <source>Codes by which neighbouring frames differ</source>
        <translation>Stufen, um die sich benachbarte Frames unterscheiden</translation>
    </message>
    <message>
        <source>repeats
≤ %1</source>
        <translation>gleicht sich
≤ %1</translation>
    </message>
    <message>
        <source>How much the change from beginning to middle is that from there to the end: more is a cross-fade, unless flow explains it</source>
        <translation>Wie sehr die Änderung vom Anfang zur Mitte der von dort zum Ende gleicht: mehr ist eine Überblendung, wenn Fluss sie nicht erklärt</translation>
    </message>
    <message>
        <source>flow
≥ %1</source>
        <translation>Fluss
≥ %1</translation>
    </message>
    <message>
        <source>Share of the change that optical flow explains</source>
        <translation>Anteil der Änderung, den optischer Fluss erklärt</translation>
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
    <name>reelgrid::widgets::ViewBar</name>
    <message>
        <source>Grid</source>
        <translation>Raster</translation>
    </message>
    <message>
        <source>Wipe</source>
        <translation>Wischblende</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Differenz</translation>
    </message>
    <message>
        <source>Onion skin</source>
        <translation>Überblendung</translation>
    </message>
    <message>
        <source>Flicker</source>
        <translation>Flackern</translation>
    </message>
    <message>
        <source>Every clip in its own tile (G)</source>
        <translation>Jeder Clip in eigener Kachel (G)</translation>
    </message>
    <message>
        <source>Two clips parted by a line: drag it, turn it by a handle (W)</source>
        <translation>Zwei Clips, geteilt durch eine Linie: ziehen, am Griff drehen (W)</translation>
    </message>
    <message>
        <source>Where each clip differs from the reference (D)</source>
        <translation>Wo jeder Clip von der Referenz abweicht (D)</translation>
    </message>
    <message>
        <source>One clip through the other (A)</source>
        <translation>Ein Clip durch den anderen (A)</translation>
    </message>
    <message>
        <source>Two clips in turns (B)</source>
        <translation>Zwei Clips im Wechsel (B)</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>Referenz</translation>
    </message>
    <message>
        <source>What the others are held against (R: the selected tile)</source>
        <translation>Wogegen die anderen gehalten werden (R: die gewählte Kachel)</translation>
    </message>
    <message>
        <source>Held against the reference</source>
        <translation>Gegen die Referenz gehalten</translation>
    </message>
    <message>
        <source>What is held against it (E: the next one)</source>
        <translation>Was gegen sie gehalten wird (E: der nächste)</translation>
    </message>
    <message>
        <source>Kind of difference</source>
        <translation>Art der Differenz</translation>
    </message>
    <message>
        <source>How differences are shown (H: heat map)</source>
        <translation>Wie Differenzen gezeigt werden (H: Wärmebild)</translation>
    </message>
    <message>
        <source>Signed</source>
        <translation>Vorzeichen</translation>
    </message>
    <message>
        <source>Absolute</source>
        <translation>Absolut</translation>
    </message>
    <message>
        <source>Amplified</source>
        <translation>Verstärkt</translation>
    </message>
    <message>
        <source>Heat map</source>
        <translation>Wärmebild</translation>
    </message>
    <message>
        <source>Gain</source>
        <translation>Verstärkung</translation>
    </message>
    <message>
        <source>Times what differences are shown (+ and -)</source>
        <translation>Mit welchem Faktor Differenzen gezeigt werden (+ und -)</translation>
    </message>
    <message>
        <source>Angle</source>
        <translation>Winkel</translation>
    </message>
    <message>
        <source>Of the wipe&apos;s line: 90° is upright (Shift+W: turn)</source>
        <translation>Der Linie der Wischblende: 90° ist senkrecht (Umschalt+W: drehen)</translation>
    </message>
    <message>
        <source>Opacity</source>
        <translation>Deckkraft</translation>
    </message>
    <message>
        <source>Of the clip in front</source>
        <translation>Des vorderen Clips</translation>
    </message>
    <message>
        <source>Flicker rate</source>
        <translation>Wechselrate</translation>
    </message>
    <message>
        <source>Changes a second</source>
        <translation>Wechsel je Sekunde</translation>
    </message>
    <message>
        <source> Hz</source>
        <translation> Hz</translation>
    </message>
    <message>
        <source>Shift in frames</source>
        <translation>Verschiebung in Bildern</translation>
    </message>
    <message>
        <source>How many frames the selected clip is ahead of the others (Alt+Up, Alt+Down)</source>
        <translation>Wie viele Bilder der gewählte Clip den anderen voraus ist (Alt+Auf, Alt+Ab)</translation>
    </message>
    <message>
        <source> fr</source>
        <translation> B.</translation>
    </message>
    <message>
        <source>Shift in milliseconds</source>
        <translation>Verschiebung in Millisekunden</translation>
    </message>
    <message>
        <source>How far the selected clip is ahead of the others (Alt+Shift+Up, Alt+Shift+Down)</source>
        <translation>Wie weit der gewählte Clip den anderen voraus ist (Alt+Umschalt+Auf, Alt+Umschalt+Ab)</translation>
    </message>
    <message>
        <source> ms</source>
        <translation> ms</translation>
    </message>
    <message>
        <source>Clips are held together</source>
        <translation>Clips werden zusammengehalten</translation>
    </message>
    <message>
        <source>By time, or the same frame number of every clip (T)</source>
        <translation>Nach der Zeit, oder dieselbe Bildnummer jedes Clips (T)</translation>
    </message>
    <message>
        <source>By time</source>
        <translation>Nach Zeit</translation>
    </message>
    <message>
        <source>By frame</source>
        <translation>Nach Bild</translation>
    </message>
    <message>
        <source>Memory of frames</source>
        <translation>Speicher der Bilder</translation>
    </message>
    <message>
        <source>What decoded frames take, and the most that they may take: click to change it</source>
        <translation>Was dekodierte Bilder belegen und höchstens belegen dürfen: Klick ändert es</translation>
    </message>
    <message>
        <source>At most %1 MB</source>
        <translation>Höchstens %1 MB</translation>
    </message>
    <message>
        <source>%1 / %2 MB</source>
        <translation>%1 / %2 MB</translation>
    </message>
    <message>
        <source>How the clips are looked at</source>
        <translation>Wie die Clips betrachtet werden</translation>
    </message>
    <message>
        <source>Grid, wipe, difference, onion skin, flicker</source>
        <translation>Raster, Wischblende, Differenz, Überblendung, Flackern</translation>
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
