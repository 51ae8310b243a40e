extension CoreTypes {
  /// The types, in groups: basics, archives and addresses; media; text; documents; packages.
  ///
  /// A line is `identifier | supertypes | extensions | MIME types | description`. Identifiers and tags are in lower
  /// case. If two lines share a tag, the earlier one is preferred. The identifiers of packages are those of the programs
  /// that own the types. The lines omit extensions that plain folders have, too, such as `lproj`, `sdk` or `template`.
  package static let lines = """
    public.item | | | | item
    public.content | | | | content
    public.composite-content | public.content | | | composite content
    public.data | public.item | | application/octet-stream | data
    public.folder | public.directory | | inode/directory | folder
    public.directory | public.item | | inode/directory | directory
    public.volume | public.folder | | | volume
    com.apple.package | public.directory | | | package
    com.apple.bundle | public.directory | | | bundle
    com.apple.resolvable | | | | resolvable item
    public.symlink | public.item com.apple.resolvable | | inode/symlink | symbolic link
    com.apple.mount-point | public.item com.apple.resolvable | | inode/mount-point | mount point
    com.apple.alias-file | public.data com.apple.resolvable | alias | | alias
    com.apple.bookmark | public.data com.apple.resolvable | | | bookmark data

    public.executable | public.item | | | executable
    public.unix-executable | public.data public.executable | | application/x-executable | Unix executable
    com.microsoft.windows-executable | public.data public.executable | exe | application/vnd.microsoft.portable-executable application/x-msdownload | Windows executable
    com.apple.application | public.executable | | | application
    com.apple.application-bundle | com.apple.application com.apple.bundle com.apple.package | app | | application bundle
    com.apple.application-and-system-extension | com.apple.bundle com.apple.package | appex | | app extension
    com.apple.framework | com.apple.bundle | framework | | framework
    com.apple.plugin | com.apple.bundle com.apple.package | plugin | | plug-in
    com.apple.metadata-importer | com.apple.plugin | mdimporter | | Spotlight importer
    com.apple.quicklook-generator | com.apple.plugin | qlgenerator | | Quick Look generator
    com.apple.xpc-service | com.apple.bundle com.apple.package | xpc | | XPC service
    com.apple.systempreference.prefpane | com.apple.bundle com.apple.package | prefpane | | preference pane

    public.archive | public.data | | | archive
    public.zip-archive | public.archive | zip | application/zip application/x-zip-compressed | ZIP archive
    org.gnu.gnu-zip-tar-archive | org.gnu.gnu-zip-archive | tgz tar.gz | application/x-compressed-tar | gzip-compressed tar archive
    org.gnu.gnu-zip-archive | public.archive | gz gzip | application/gzip application/x-gzip | gzip archive
    public.bzip2-archive | public.archive | bz2 bzip2 bz | application/x-bzip2 application/bzip2 | bzip2 archive
    public.tar-bzip2-archive | public.bzip2-archive | tbz tbz2 tar.bz2 | application/x-bzip2-compressed-tar | bzip2-compressed tar archive
    public.tar-archive | public.archive | tar | application/x-tar application/tar | tar archive
    public.cpio-archive | public.archive | cpio | application/x-cpio | cpio archive
    org.tukaani.xz-archive | public.archive | xz | application/x-xz | XZ archive
    org.tukaani.tar-xz-archive | org.tukaani.xz-archive | txz tar.xz | application/x-xz-compressed-tar | XZ-compressed tar archive
    org.7-zip.7-zip-archive | public.archive | 7z | application/x-7z-compressed | 7-Zip archive
    com.rarlab.rar-archive | public.archive | rar | application/vnd.rar application/x-rar-compressed | RAR archive
    com.facebook.zstandard-archive | public.archive | zst | application/zstd | Zstandard archive
    com.apple.archive | public.archive | aar | | Apple Archive
    com.sun.java-archive | public.zip-archive public.executable | jar | application/java-archive application/x-java-archive | Java archive
    org.debian.deb-archive | public.archive | deb | application/vnd.debian.binary-package application/x-deb | Debian package
    com.redhat.rpm-archive | public.archive | rpm | application/x-rpm | RPM package

    public.disk-image | public.archive | | | disk image
    com.apple.disk-image-udif | public.disk-image | dmg | application/x-apple-diskimage | Apple disk image
    public.iso-image | public.disk-image | iso | application/x-iso9660-image application/x-cd-image | ISO 9660 disk image

    public.url | public.data | | | address
    public.file-url | public.url | | | file address
    public.bookmark | | | | bookmark
    com.apple.internet-location | public.data com.apple.resolvable | webloc inetloc | | web location
    com.microsoft.internet-shortcut | public.data com.apple.resolvable | url | application/x-mswinurl | web shortcut

    public.image | public.data public.content | | | image
    public.png | public.image | png | image/png | PNG image
    public.jpeg | public.image | jpeg jpg jpe | image/jpeg image/jpg | JPEG image
    public.jpeg-2000 | public.image | jp2 jpf jpx j2k | image/jp2 | JPEG 2000 image
    public.jpeg-xl | public.image | jxl | image/jxl | JPEG XL image
    com.compuserve.gif | public.image | gif | image/gif | GIF image
    public.tiff | public.image | tiff tif | image/tiff | TIFF image
    com.microsoft.bmp | public.image | bmp dib | image/bmp image/x-ms-bmp | BMP image
    com.microsoft.ico | public.image | ico | image/vnd.microsoft.icon image/x-icon | Windows icon
    com.microsoft.cur | public.image | cur | image/x-win-bitmap | Windows cursor
    com.apple.icns | public.image | icns | image/x-icns | Apple icon image
    org.webmproject.webp | public.image | webp | image/webp | WebP image
    public.heif-standard | public.image | | | HEIF image container
    public.heif | public.heif-standard | heif hif | image/heif | HEIF image
    public.heic | public.heif-standard | heic | image/heic | HEIC image
    public.heics | public.heif-standard | heics | image/heic-sequence | HEIC image sequence
    public.avif | public.image | avif | image/avif | AVIF image
    public.svg-image | public.image public.xml | svg | image/svg+xml | SVG image
    com.ilm.openexr-image | public.image | exr | image/x-exr image/aces | OpenEXR image
    public.radiance | public.image | hdr | image/vnd.radiance | Radiance image
    public.camera-raw-image | public.image | | | camera raw image
    com.adobe.raw-image | public.camera-raw-image | dng | image/x-adobe-dng image/dng | digital negative
    com.canon.cr2-raw-image | public.camera-raw-image | cr2 | image/x-canon-cr2 | Canon CR2 raw image
    com.canon.cr3-raw-image | public.camera-raw-image | cr3 | image/x-canon-cr3 | Canon CR3 raw image
    com.nikon.raw-image | public.camera-raw-image | nef | image/x-nikon-nef | Nikon raw image
    com.sony.arw-raw-image | public.camera-raw-image | arw | image/x-sony-arw | Sony raw image
    com.adobe.photoshop-image | public.image | psd | image/vnd.adobe.photoshop | Photoshop image
    com.truevision.tga-image | public.image | tga | image/x-tga | TGA image
    public.pbm | public.image | pbm pgm ppm pnm | image/x-portable-anymap | portable bitmap image
    com.apple.live-photo | public.data public.composite-content | | | Live Photo

    public.audiovisual-content | public.data public.content | | | audiovisual content
    public.movie | public.audiovisual-content | | | movie
    public.video | public.movie | | | video
    public.audio | public.audiovisual-content | | | audio
    com.apple.quicktime-movie | public.movie | mov qt | video/quicktime | QuickTime movie
    public.mpeg-4 | public.movie | mp4 mpg4 | video/mp4 | MPEG-4 movie
    com.apple.m4v-video | public.movie | m4v | video/x-m4v | M4V movie
    com.apple.protected-mpeg-4-video | com.apple.m4v-video | | | protected MPEG-4 movie
    public.mpeg | public.movie | mpg mpeg mpe | video/mpeg | MPEG movie
    public.mpeg-2-video | public.video | m2v mpeg2 | video/mpeg2 | MPEG-2 video
    public.mpeg-2-transport-stream | public.movie | ts m2ts | video/mp2t | MPEG-2 transport stream
    public.avi | public.movie | avi vfw | video/x-msvideo video/avi video/vnd.avi | AVI movie
    public.3gpp | public.movie | 3gp 3gpp | video/3gpp audio/3gpp | 3GPP movie
    public.3gpp2 | public.movie | 3g2 3gp2 | video/3gpp2 audio/3gpp2 | 3GPP2 movie
    public.dv-movie | public.movie | dv | video/x-dv video/dv | DV movie
    org.webmproject.webm | public.movie | webm | video/webm | WebM movie
    org.matroska.mkv | public.movie | mkv | video/x-matroska video/matroska | Matroska movie
    org.xiph.ogg-video | public.movie | ogv | video/ogg | Ogg video
    com.microsoft.windows-media-wmv | public.movie | wmv | video/x-ms-wmv | Windows Media video
    com.adobe.flash.video | public.movie | flv | video/x-flv | Flash video

    public.mp3 | public.audio | mp3 | audio/mpeg audio/mp3 audio/x-mp3 | MP3 audio
    public.mpeg-4-audio | public.audio | mp4a | audio/mp4 | MPEG-4 audio
    com.apple.m4a-audio | public.mpeg-4-audio | m4a | audio/x-m4a | Apple MPEG-4 audio
    com.apple.protected-mpeg-4-audio | public.audio | m4p | | protected MPEG-4 audio
    public.aac-audio | public.audio | aac adts | audio/aac audio/x-aac | AAC audio
    public.ac3-audio | public.audio | ac3 | audio/ac3 | AC-3 audio
    public.aiff-audio | public.audio | aiff aif | audio/aiff audio/x-aiff | AIFF audio
    public.aifc-audio | public.aiff-audio | aifc | audio/x-aifc | AIFF-C audio
    com.microsoft.waveform-audio | public.audio | wav wave | audio/wav audio/x-wav audio/vnd.wave audio/wave | WAVE audio
    com.apple.coreaudio-format | public.audio | caf | audio/x-caf | Core Audio
    org.xiph.flac | public.audio | flac | audio/flac audio/x-flac | FLAC audio
    org.xiph.ogg-audio | public.audio | oga ogg | audio/ogg | Ogg audio
    org.xiph.opus | public.audio | opus | audio/opus | Opus audio
    com.microsoft.windows-media-wma | public.audio | wma | audio/x-ms-wma | Windows Media audio
    public.au-audio | public.audio | au snd | audio/basic | AU audio
    public.midi-audio | public.audio | mid midi smf kar | audio/midi audio/x-midi | MIDI

    public.playlist | public.content | | | playlist
    public.m3u-playlist | public.text public.playlist | m3u m3u8 | audio/x-mpegurl audio/mpegurl application/vnd.apple.mpegurl | M3U playlist

    public.3d-content | public.content | | | 3D content
    com.pixar.universal-scene-description | public.data public.3d-content | usd usda usdc | model/vnd.usda | Universal Scene Description
    com.pixar.universal-scene-description-mobile | public.data public.3d-content | usdz | model/vnd.usdz+zip | Universal Scene Description package
    com.apple.reality | public.data public.3d-content | reality | model/vnd.reality | reality file
    com.apple.scenekit.scene | public.data public.3d-content | scn | | SceneKit scene
    com.apple.arobject | public.data | arobject | | AR reference object
    org.khronos.gltf | public.json public.3d-content | gltf | model/gltf+json | glTF scene
    org.khronos.glb | public.data public.3d-content | glb | model/gltf-binary | binary glTF scene
    public.geometry-definition-format | public.data public.3d-content | obj | model/obj | OBJ geometry
    public.standard-tesselated-geometry-format | public.data public.3d-content | stl | model/stl | STL geometry

    public.text | public.data public.content | | | text
    public.plain-text | public.text | txt text | text/plain | plain text
    public.utf8-plain-text | public.plain-text | | text/plain;charset=utf-8 | UTF-8 text
    public.utf16-external-plain-text | public.plain-text | | text/plain;charset=utf-16 | UTF-16 text with a byte-order mark
    public.utf16-plain-text | public.plain-text | | | UTF-16 text
    public.delimited-values-text | public.text | | | delimited text
    public.comma-separated-values-text | public.delimited-values-text | csv | text/csv text/comma-separated-values | comma-separated values
    public.tab-separated-values-text | public.delimited-values-text | tsv | text/tab-separated-values | tab-separated values
    public.utf8-tab-separated-values-text | public.tab-separated-values-text public.utf8-plain-text | | | UTF-8 tab-separated values
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
    net.daringfireball.markdown | public.plain-text | md markdown mdown mkd mkdn | text/markdown text/x-markdown | Markdown
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
    public.php-script | public.shell-script | php php3 php4 phtml | application/x-php text/php application/x-httpd-php | PHP script
    org.lua.lua-source | public.script | lua | text/x-lua | Lua script
    com.netscape.javascript-source | public.source-code public.executable | js mjs cjs | text/javascript application/javascript application/x-javascript | JavaScript
    com.microsoft.typescript | public.source-code | ts tsx mts cts | application/typescript text/x-typescript | TypeScript
    com.apple.applescript.text | public.script | applescript | application/x-applescript | AppleScript text
    com.apple.applescript.script | public.data public.script | scpt | | compiled AppleScript
    com.apple.applescript.script-bundle | com.apple.bundle com.apple.package | scptd | | AppleScript bundle

    com.adobe.pdf | public.data public.composite-content | pdf | application/pdf application/x-pdf | PDF
    com.adobe.postscript | public.data public.composite-content | ps | application/postscript | PostScript
    com.adobe.encapsulated-postscript | com.adobe.postscript | eps epsf | image/x-eps | EPS
    com.apple.rtfd | com.apple.package public.composite-content | rtfd | | rich text with attachments
    com.apple.flat-rtfd | public.data public.composite-content | | | flattened rich text
    com.apple.webarchive | public.data public.composite-content | webarchive | application/x-webarchive | web archive
    org.textbundle.package | com.apple.package public.composite-content | textbundle | | TextBundle
    org.textbundle.zip | public.zip-archive public.composite-content | textpack | application/x-textpack | TextPack

    public.spreadsheet | public.content | | | spreadsheet
    public.presentation | public.composite-content | | | presentation
    com.microsoft.word.doc | public.data public.composite-content | doc | application/msword | Word 97 document
    org.openxmlformats.openxml | public.data public.composite-content | | | Office Open XML document
    org.openxmlformats.wordprocessingml.document | org.openxmlformats.openxml | docx | application/vnd.openxmlformats-officedocument.wordprocessingml.document | Word document
    com.microsoft.excel.xls | public.data public.spreadsheet | xls | application/vnd.ms-excel application/msexcel | Excel 97 workbook
    org.openxmlformats.spreadsheetml.sheet | org.openxmlformats.openxml public.spreadsheet | xlsx | application/vnd.openxmlformats-officedocument.spreadsheetml.sheet | Excel workbook
    com.microsoft.powerpoint.ppt | public.data public.presentation | ppt | application/vnd.ms-powerpoint application/mspowerpoint | PowerPoint 97 presentation
    org.openxmlformats.presentationml.presentation | org.openxmlformats.openxml public.presentation | pptx | application/vnd.openxmlformats-officedocument.presentationml.presentation | PowerPoint presentation
    org.oasis-open.opendocument | public.data public.composite-content | | | OpenDocument
    org.oasis-open.opendocument.text | org.oasis-open.opendocument | odt | application/vnd.oasis.opendocument.text | OpenDocument text
    org.oasis-open.opendocument.spreadsheet | org.oasis-open.opendocument public.spreadsheet | ods | application/vnd.oasis.opendocument.spreadsheet | OpenDocument spreadsheet
    org.oasis-open.opendocument.presentation | org.oasis-open.opendocument public.presentation | odp | application/vnd.oasis.opendocument.presentation | OpenDocument presentation
    org.oasis-open.opendocument.graphics | org.oasis-open.opendocument | odg | application/vnd.oasis.opendocument.graphics | OpenDocument drawing
    org.idpf.epub-container | public.data public.composite-content | epub | application/epub+zip | EPUB book
    org.idpf.epub-folder | com.apple.package public.composite-content | epub | | EPUB book folder

    public.database | public.data | | | database
    org.sqlite.sqlite | public.database | sqlite sqlite3 db | application/vnd.sqlite3 application/x-sqlite3 | SQLite database

    public.message | public.content | | | message
    public.email-message | public.data public.message | eml | message/rfc822 | e-mail message
    public.contact | public.content | | | contact
    public.vcard | public.text public.contact | vcf vcard | text/vcard text/x-vcard text/directory | vCard
    public.calendar-event | public.content | | | calendar event
    public.to-do-item | public.content | | | task
    com.apple.ical.ics | public.text public.calendar-event | ics ical | text/calendar | iCalendar
    com.apple.linkpresentation.metadata | public.data | | | link metadata

    com.rsa.pkcs-12 | public.data | p12 pfx | application/x-pkcs12 application/pkcs12 | PKCS 12 container
    public.x509-certificate | public.data | cer crt der pem | application/x-x509-ca-cert application/pkix-cert | X.509 certificate

    public.font | public.data public.content | | | font
    public.opentype-font | public.font | otf | font/otf application/x-font-otf | OpenType font
    public.truetype-ttf-font | public.font | ttf | font/ttf application/x-font-ttf | TrueType font
    public.truetype-collection-font | public.font | ttc | font/collection | TrueType font collection
    org.w3.woff | public.font | woff | font/woff application/font-woff | WOFF font
    org.w3.woff2 | public.font | woff2 | font/woff2 | WOFF 2 font

    com.apple.iwork.keynote.key | com.apple.package public.presentation | key | | Keynote presentation
    com.apple.iwork.keynote.sffkey | public.data public.presentation | key | application/vnd.apple.keynote application/x-iwork-keynote-sffkey | Keynote presentation
    com.apple.iwork.keynote.kth | com.apple.package public.presentation | kth | | Keynote theme
    com.apple.iwork.keynote.sffkth | public.data public.presentation | kth | application/x-iwork-keynote-sffkth | Keynote theme
    com.apple.iwork.pages.pages | com.apple.package public.composite-content | pages | | Pages document
    com.apple.iwork.pages.sffpages | public.data public.composite-content | pages | application/vnd.apple.pages application/x-iwork-pages-sffpages | Pages document
    com.apple.iwork.numbers.numbers | com.apple.package public.spreadsheet | numbers | | Numbers spreadsheet
    com.apple.iwork.numbers.sffnumbers | public.data public.spreadsheet | numbers | application/vnd.apple.numbers application/x-iwork-numbers-sffnumbers | Numbers spreadsheet
    com.apple.iwork.numbers.template | com.apple.package public.spreadsheet | nmbtemplate | | Numbers template
    com.apple.iwork.numbers.sfftemplate | public.data public.spreadsheet | nmbtemplate | application/x-iwork-numbers-sfftemplate | Numbers template
    com.literatureandlatte.scrivener3.scriv | com.apple.package public.composite-content | scriv | | Scrivener project
    com.omnigroup.omnioutliner.oo3-package | com.apple.package public.composite-content | oo3 | | OmniOutliner 3 document
    com.omnigroup.omnioutliner.xmlooutline-package | com.apple.package public.composite-content | ooutline | | OmniOutliner document
    com.omnigroup.omnigraffle.graffle-package | com.apple.package public.composite-content | graffle | | OmniGraffle drawing
    com.pixelmatorteam.pixelmator.document.package | com.apple.package public.content | pxd | | Pixelmator Pro document
    com.pixelmatorteam.pixelmator.document-package | com.apple.package public.content | pxm | | Pixelmator document
    com.apple.ibooks-folder | com.apple.package public.composite-content | ibooks | | book of Apple Books, folder
    com.apple.ibooks-container | public.data public.composite-content | ibooks | application/x-ibooks+zip | book of Apple Books

    com.apple.garageband.project | com.apple.package public.content | band gbproj | | GarageBand project
    com.apple.logicx.project | com.apple.package public.content | logicx | | Logic Pro project
    com.apple.imovielibrary | com.apple.package | imovielibrary | | iMovie library
    com.apple.photos.library | com.apple.package | photoslibrary | | Photos library
    com.apple.music.library | com.apple.package | musiclibrary | | Music library
    com.apple.tv.library | com.apple.package | tvlibrary | | TV library
    com.apple.live-photo-bundle | com.apple.bundle com.apple.package public.composite-content | pvt | | Live Photo bundle
    public.avchd-collection | com.apple.package | avchd | | AVCHD collection

    com.apple.mail.mbox | com.apple.package | mbox | | Mail mailbox
    com.apple.pkpass | com.apple.bundle com.apple.package | pkpass | | Wallet pass, folder
    com.apple.pkpass-data | public.data | pkpass | application/vnd.apple.pkpass | Wallet pass
    com.apple.disk-image-sparse-bundle | com.apple.package | sparsebundle backupbundle | | sparse bundle disk image
    com.vmware.vm-package | com.apple.bundle com.apple.package | vmwarevm | | VMware virtual machine
    com.apple.automator-workflow | com.apple.package | workflow | | Automator workflow
    com.apple.logarchive | com.apple.package | logarchive | | log archive

    com.apple.xcode.project | com.apple.package | xcodeproj | | Xcode project
    com.apple.dt.document.workspace | com.apple.package | xcworkspace | | Xcode workspace
    com.apple.dt.playground | com.apple.package | playground | | Xcode playground
    com.apple.playgroundbook | com.apple.package | playgroundbook | | playground book
    com.apple.swiftpm | com.apple.package | swiftpm | | app playground
    com.apple.dt.assetcatalog | com.apple.package | xcassets | | asset catalog
    com.apple.scenekit.assetcatalog | com.apple.package | scnassets | | SceneKit asset catalog
    com.apple.xcode.model | com.apple.package | xcdatamodel | | Core Data model
    com.apple.xcode.model.data-version | com.apple.package | xcdatamodeld | | versioned Core Data model
    com.apple.coreml.mlpackage | com.apple.package | mlpackage | | Core ML model package
    com.apple.createml.project | com.apple.package | mlproj | | Create ML project
    com.apple.realitycomposerpro | com.apple.package | realitycomposerpro | | Reality Composer Pro project
    com.apple.xcode.archive | com.apple.package | xcarchive | | Xcode archive
    com.apple.xcode.resultbundle | com.apple.package | xcresult | | Xcode test results
    com.apple.xcode.dsym | com.apple.package | dsym | | debug symbols
    com.apple.xcode.docset | com.apple.package | docset | | documentation set
    com.apple.documentation.doccarchive | com.apple.package | doccarchive | | documentation archive
    com.apple.instruments.trace | com.apple.package | trace | | Instruments trace
    com.apple.xcframework | com.apple.package | xcframework | | XCFramework

    com.apple.generic-bundle | com.apple.bundle com.apple.package | bundle | | bundle
    com.apple.installer-package | com.apple.bundle com.apple.package | pkg | | installer package, folder
    com.apple.installer-package-archive | public.archive | pkg mpkg | | installer package
    """
}
