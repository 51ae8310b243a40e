extension UTType {
  /// Text, with or without markup. `public.text`
  public static var text: UTType { UTType(core: "public.text") }
  /// Text without markup, in an unknown encoding. `public.plain-text`
  public static var plainText: UTType { UTType(core: "public.plain-text") }
  /// Plain text in UTF-8. `public.utf8-plain-text`
  public static var utf8PlainText: UTType { UTType(core: "public.utf8-plain-text") }
  /// Plain text in UTF-16 that begins with a byte-order mark. `public.utf16-external-plain-text`
  public static var utf16ExternalPlainText: UTType { UTType(core: "public.utf16-external-plain-text") }
  /// Plain text in UTF-16 in the byte order of the machine. `public.utf16-plain-text`
  public static var utf16PlainText: UTType { UTType(core: "public.utf16-plain-text") }
  /// Rows of values. `public.delimited-values-text`
  public static var delimitedText: UTType { UTType(core: "public.delimited-values-text") }
  /// Rows of values with commas between them. `public.comma-separated-values-text`
  public static var commaSeparatedText: UTType { UTType(core: "public.comma-separated-values-text") }
  /// Rows of values with tabs between them. `public.tab-separated-values-text`
  public static var tabSeparatedText: UTType { UTType(core: "public.tab-separated-values-text") }
  /// Rows of values with tabs between them, in UTF-8. `public.utf8-tab-separated-values-text`
  public static var utf8TabSeparatedText: UTType { UTType(core: "public.utf8-tab-separated-values-text") }
  /// A log. `public.log`
  public static var log: UTType { UTType(core: "public.log") }
  /// Markdown. `net.daringfireball.markdown`
  public static var markdown: UTType { UTType(core: "net.daringfireball.markdown") }
}

extension UTType {
  /// Rich text. `public.rtf`
  public static var rtf: UTType { UTType(core: "public.rtf") }
  /// HTML of any version. `public.html`
  public static var html: UTType { UTType(core: "public.html") }
  /// XML. `public.xml`
  public static var xml: UTType { UTType(core: "public.xml") }
  /// YAML. `public.yaml`
  public static var yaml: UTType { UTType(core: "public.yaml") }
  /// A cascading style sheet. `public.css`
  public static var css: UTType { UTType(core: "public.css") }
  /// JSON. `public.json`
  public static var json: UTType { UTType(core: "public.json") }
  /// GeoJSON. `public.geojson`
  public static var geoJSON: UTType { UTType(core: "public.geojson") }
  /// A haptic pattern. `com.apple.haptics.ahap`
  public static var ahap: UTType { UTType(core: "com.apple.haptics.ahap") }
  /// A property list in any form. `com.apple.property-list`
  public static var propertyList: UTType { UTType(core: "com.apple.property-list") }
  /// A property list in XML. `com.apple.xml-property-list`
  public static var xmlPropertyList: UTType { UTType(core: "com.apple.xml-property-list") }
  /// A property list in binary form. `com.apple.binary-property-list`
  public static var binaryPropertyList: UTType { UTType(core: "com.apple.binary-property-list") }
}

extension UTType {
  /// Source code of any language. `public.source-code`
  public static var sourceCode: UTType { UTType(core: "public.source-code") }
  /// Swift source. `public.swift-source`
  public static var swiftSource: UTType { UTType(core: "public.swift-source") }
  /// C source. `public.c-source`
  public static var cSource: UTType { UTType(core: "public.c-source") }
  /// A C header. `public.c-header`
  public static var cHeader: UTType { UTType(core: "public.c-header") }
  /// Objective-C source. `public.objective-c-source`
  public static var objectiveCSource: UTType { UTType(core: "public.objective-c-source") }
  /// C++ source. `public.c-plus-plus-source`
  public static var cPlusPlusSource: UTType { UTType(core: "public.c-plus-plus-source") }
  /// A C++ header. `public.c-plus-plus-header`
  public static var cPlusPlusHeader: UTType { UTType(core: "public.c-plus-plus-header") }
  /// Objective-C++ source. `public.objective-c-plus-plus-source`
  public static var objectiveCPlusPlusSource: UTType { UTType(core: "public.objective-c-plus-plus-source") }
  /// Assembly source. `public.assembly-source`
  public static var assemblyLanguageSource: UTType { UTType(core: "public.assembly-source") }
  /// A makefile. `public.make-source`
  public static var makefile: UTType { UTType(core: "public.make-source") }
  /// A script of any language. `public.script`
  public static var script: UTType { UTType(core: "public.script") }
  /// A shell script. `public.shell-script`
  public static var shellScript: UTType { UTType(core: "public.shell-script") }
  /// A Perl script. `public.perl-script`
  public static var perlScript: UTType { UTType(core: "public.perl-script") }
  /// A Python script. `public.python-script`
  public static var pythonScript: UTType { UTType(core: "public.python-script") }
  /// A Ruby script. `public.ruby-script`
  public static var rubyScript: UTType { UTType(core: "public.ruby-script") }
  /// A PHP script. `public.php-script`
  public static var phpScript: UTType { UTType(core: "public.php-script") }
  /// JavaScript. `com.netscape.javascript-source`
  public static var javaScript: UTType { UTType(core: "com.netscape.javascript-source") }
  /// AppleScript as text. `com.apple.applescript.text`
  public static var appleScript: UTType { UTType(core: "com.apple.applescript.text") }
  /// AppleScript in compiled form. `com.apple.applescript.script`
  public static var osaScript: UTType { UTType(core: "com.apple.applescript.script") }
  /// AppleScript in a bundle. `com.apple.applescript.script-bundle`
  public static var osaScriptBundle: UTType { UTType(core: "com.apple.applescript.script-bundle") }
}
