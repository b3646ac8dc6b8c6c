<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>CompareRows</name>
    <message numerus="yes">
        <source>%1 requests, %n runs</source>
        <translation>
            <numerusform>%1 requests, %n run</numerusform>
            <numerusform>%1 requests, %n runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>pitwall::ui::BannerBar</name>
    <message numerus="yes">
        <source>+%n more</source>
        <translation>
            <numerusform>+%n more</numerusform>
            <numerusform>+%n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>pitwall::ui::ItemDetail</name>
    <message numerus="yes">
        <source>by you; %n pairs of runs</source>
        <translation>
            <numerusform>by you; %n pair of runs</numerusform>
            <numerusform>by you; %n pairs of runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>by the 95 % interval of %n pairs of runs</source>
        <translation>
            <numerusform>by the 95 % interval of %n pair of runs</numerusform>
            <numerusform>by the 95 % interval of %n pairs of runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>pitwall::ui::ItemList</name>
    <message numerus="yes">
        <source>%n repeats</source>
        <translation>
            <numerusform>%n repeat</numerusform>
            <numerusform>%n repeats</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>pitwall::ui::JobStrip</name>
    <message numerus="yes">
        <source>%1, %n more</source>
        <translation>
            <numerusform>%1, %n more</numerusform>
            <numerusform>%1, %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>pitwall::ui::LoadStrip</name>
    <message numerus="yes">
        <source>%n requests</source>
        <translation>
            <numerusform>%n request</numerusform>
            <numerusform>%n requests</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>pitwall::ui::SettingsForm</name>
    <message numerus="yes">
        <source>%n pending</source>
        <translation>
            <numerusform>%n pending</numerusform>
            <numerusform>%n pending</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n changed</source>
        <translation>
            <numerusform>%n changed</numerusform>
            <numerusform>%n changed</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>pitwall::ui::SweepDialog</name>
    <message numerus="yes">
        <source>Each value is measured against the same base, %n repeats each.</source>
        <translation>
            <numerusform>Each value is measured against the same base, %n repeat each.</numerusform>
            <numerusform>Each value is measured against the same base, %n repeats each.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>pitwall::ui::TunePage</name>
    <message numerus="yes">
        <source>%1 was cut off while it was measured. Its %n runs are kept.</source>
        <translation>
            <numerusform>%1 was cut off while it was measured. Its %n run is kept.</numerusform>
            <numerusform>%1 was cut off while it was measured. Its %n runs are kept.</numerusform>
        </translation>
    </message>
</context>
</TS>
