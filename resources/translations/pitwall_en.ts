<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
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
</TS>
