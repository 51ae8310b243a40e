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
