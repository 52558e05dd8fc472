"""The words of the .xlsx format: parts, elements and attributes that a file of any program may have."""

from __future__ import annotations

import re

PARTS = {
    "types": r"\[content_types\]\.xml",
    "relations": r"_rels/\.rels|xl/_rels/workbook\.xml\.rels|xl/worksheets/_rels/sheet[0-9]{1,3}\.xml\.rels",
    "workbook": r"xl/workbook\.xml",
    "styles": r"xl/styles\.xml",
    "theme": r"xl/theme/theme1\.xml",
    "texts": r"xl/sharedstrings\.xml",
    "sheet": r"xl/worksheets/sheet[0-9]{1,3}\.xml",
    "core": r"docprops/core\.xml",
    "app": r"docprops/app\.xml",
}
"""The files that an .xlsx file may have, by what they are for."""
_WORDS = {
    "types": """
        Types Default Override
    """,
    "relations": """
        Relationships Relationship
    """,
    "workbook": """
        workbook fileVersion workbookPr workbookProtection bookViews workbookView sheets sheet definedNames
        calcPr extLst ext calcFeatures feature
    """,
    "styles": """
        styleSheet numFmts numFmt fonts font sz color name family scheme charset b i u strike vertAlign
        outline shadow condense extend fills fill patternFill fgColor bgColor gradientFill stop borders
        border left right top bottom diagonal start end horizontal vertical cellStyleXfs cellXfs xf
        alignment protection cellStyles cellStyle dxfs dxf tableStyles colors indexedColors rgbColor
        mruColors extLst ext slicerStyles timelineStyles
    """,
    "texts": """
        sst si t r rPr sz color rFont family scheme charset b i u strike vertAlign outline shadow phoneticPr
    """,
    "sheet": """
        worksheet sheetPr outlinePr pageSetUpPr tabColor dimension sheetViews sheetView selection pane
        sheetFormatPr cols col sheetData row c v is t r rPr sz color rFont family scheme charset b i u
        strike vertAlign phoneticPr pageMargins pageSetup printOptions ignoredErrors ignoredError autoFilter
    """,
    "core": """
        coreProperties creator lastModifiedBy created modified title subject description keywords category
        contentStatus language revision version lastPrinted identifier
    """,
    "app": """
        Properties Application DocSecurity ScaleCrop HeadingPairs vector variant lpstr i4 TitlesOfParts
        Company Manager HyperlinkBase LinksUpToDate SharedDoc HyperlinksChanged AppVersion TotalTime
        Template Pages Words Characters Lines Paragraphs
    """,
}
ELEMENTS = {kind: frozenset(words.split()) for kind, words in _WORDS.items()}
"""The elements of each kind of part; a theme may have any, for it holds colors and fonts alone."""
_OF_SHEETS = """
    r s t spans ht customHeight customFormat dyDescent thickBot thickTop hidden outlineLevel collapsed
    min max width style bestFit customWidth ref sqref activeCell activeCellId tabSelected workbookViewId
    topLeftCell zoomScale zoomScaleNormal zoomScaleSheetLayoutView showGridLines showRowColHeaders
    rightToLeft view pane state xSplit ySplit defaultRowHeight baseColWidth defaultColWidth zeroHeight
    outlineLevelRow outlineLevelCol left right top bottom header footer orientation paperSize
    horizontalDpi verticalDpi scale fitToWidth fitToHeight fitToPage id space numberStoredAsText uid
    Ignorable rgb theme tint indexed auto val fontId type alignment summaryBelow summaryRight
    showOutlineSymbols showZeros showFormulas defaultGridColor colorId codeName filterMode published
    enableFormatConditionsCalculation ph firstPageNumber useFirstPageNumber usePrinterDefaults copies
    blackAndWhite draft cellComments pageOrder errors gridLines headings horizontalCentered
    verticalCentered gridLinesSet fullCalcOnLoad windowProtection syncVertical syncHorizontal syncRef
    showRuler showWhiteSpace
"""
ATTRIBUTES = frozenset(_OF_SHEETS.split())
"""The attributes of a sheet."""
SHOWN = re.compile(
    r"-?[0-9.]{1,24}(?:[eE][+-]?[0-9]{1,3})?|[0-9]{1,7}:[0-9]{1,7}|[0-9A-Fa-f]{6,8}"
    r"|\$?[A-Z]{1,3}\$?[0-9]{1,7}(?::\$?[A-Z]{1,3}\$?[0-9]{1,7})?|rId[0-9]{1,4}|\{[0-9A-Fa-f-]{36}\}"
    r"|true|false|on|off|n|s|str|b|inlineStr|d|e|preserve|(?:x14ac|xr[0-9]*| )+|landscape|portrait|default"
    r"|(?:top|bottom)(?:Left|Right)|frozen|frozenSplit|split|normal|pageLayout|pageBreakPreview|visible|noConversion"
    r"|Calibri|Arial|minor|major|single|double|none|downThenOver|overThenDown|displayed|asDisplayed|atEnd|Sheet[0-9]*"
    r"|left|right|center|baseline|superscript|subscript|"
)
"""What an attribute in a sheet says: numbers, places of cells, and the words of the format."""
