extension CoreTypes {
  /// Text, markup, data in text form, source code and scripts.
  package static let text = """
    public.text | public.data public.content | | | text
    public.plain-text | public.text | txt text | text/plain | plain text
    public.utf8-plain-text | public.plain-text | | text/plain;charset=utf-8 | UTF-8 text
    public.utf16-external-plain-text | public.plain-text | | \
    text/plain;charset=utf-16 | UTF-16 text with a byte-order mark
    public.utf16-plain-text | public.plain-text | | | UTF-16 text
    public.delimited-values-text | public.text | | | delimited text
    public.comma-separated-values-text | public.delimited-values-text | csv | \
    text/csv text/comma-separated-values | comma-separated values
    public.tab-separated-values-text | public.delimited-values-text | tsv | \
    text/tab-separated-values | tab-separated values
    public.utf8-tab-separated-values-text | \
    public.tab-separated-values-text public.utf8-plain-text | | | UTF-8 tab-separated values
    public.log | public.plain-text | log | text/x-log | log

    public.rtf | public.text | rtf | text/rtf application/rtf | rich text
    public.html | public.text | html htm shtml | text/html | HTML
    public.xhtml | public.xml | xhtml xht | application/xhtml+xml | XHTML
    public.xml | public.text | xml | application/xml text/xml | XML
    public.yaml | public.text | yaml yml | application/yaml application/x-yaml text/yaml | YAML
    io.toml | public.text | toml | application/toml | TOML
    public.css | public.text | css | text/css | style sheet
    public.json | public.text | json | application/json text/json | JSON
    public.geojson | public.json | geojson | application/geo+json | GeoJSON
    public.ndjson | public.text | ndjson jsonl | application/x-ndjson application/jsonl | JSON lines
    com.apple.haptics.ahap | public.json | ahap | | haptic pattern
    net.daringfireball.markdown | public.plain-text | \
    md markdown mdown mkd mkdn | text/markdown text/x-markdown | Markdown
    org.tug.tex | public.text | tex latex ltx | text/x-tex application/x-tex | TeX
    public.patch-file | public.plain-text | patch diff | text/x-patch text/x-diff | patch

    com.apple.property-list | public.data | plist | application/x-plist | property list
    com.apple.xml-property-list | public.xml com.apple.property-list | | | XML property list
    com.apple.binary-property-list | com.apple.property-list | | | binary property list
    com.apple.ascii-property-list | public.text com.apple.property-list | | | ASCII property list

    public.source-code | public.plain-text | | | source code
    public.swift-source | public.source-code | swift | text/x-swift | Swift source
    public.c-source | public.source-code | c | text/x-csrc text/x-c | C source
    public.c-header | public.source-code | h | text/x-chdr | C header
    public.objective-c-source | public.source-code | m | text/x-objcsrc | Objective-C source
    public.c-plus-plus-source | public.source-code | cpp cp cc cxx c++ | text/x-c++src | C++ source
    public.c-plus-plus-header | public.source-code | hpp h++ hxx hh | text/x-c++hdr | C++ header
    public.objective-c-plus-plus-source | public.source-code | mm | text/x-objc++src | Objective-C++ source
    public.assembly-source | public.source-code | s asm | text/x-asm | assembly source
    public.make-source | public.script | mk mak make | text/x-makefile | makefile
    org.rust-lang.rust-source | public.source-code | rs | text/rust text/x-rust | Rust source
    org.golang.go-source | public.source-code | go | text/x-go | Go source
    com.sun.java-source | public.source-code | java jav | text/x-java text/x-java-source | Java source
    org.kotlinlang.source | public.source-code | kt | text/x-kotlin | Kotlin source
    com.microsoft.c-sharp | public.source-code | cs | text/x-csharp | C# source
    org.haskell.haskell-source | public.source-code | hs | text/x-haskell | Haskell source
    org.iso.sql | public.source-code | sql | application/sql text/x-sql | SQL

    public.script | public.source-code | | | script
    public.shell-script | public.script | sh command | application/x-shellscript text/x-sh | shell script
    public.bash-script | public.shell-script | bash | | Bash script
    public.zsh-script | public.shell-script | zsh | | Z shell script
    public.csh-script | public.shell-script | csh | application/x-csh | C shell script
    public.perl-script | public.shell-script | pl pm | text/x-perl application/x-perl | Perl script
    public.python-script | public.shell-script | py | text/x-python application/x-python | Python script
    public.ruby-script | public.shell-script | rb rbw | text/x-ruby application/x-ruby | Ruby script
    public.php-script | public.shell-script | php php3 php4 phtml | \
    application/x-php text/php application/x-httpd-php | PHP script
    org.lua.lua-source | public.script | lua | text/x-lua | Lua script
    com.netscape.javascript-source | public.source-code public.executable | js mjs cjs | \
    text/javascript application/javascript application/x-javascript | JavaScript
    com.microsoft.typescript | public.source-code | ts tsx mts cts | \
    application/typescript text/x-typescript | TypeScript
    com.apple.applescript.text | public.script | applescript | application/x-applescript | AppleScript text
    com.apple.applescript.script | public.data public.script | scpt | | compiled AppleScript
    com.apple.applescript.script-bundle | com.apple.bundle com.apple.package | scptd | | AppleScript bundle
    """
}

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
