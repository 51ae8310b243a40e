extension CoreTypes {
  /// The items of a file system, and the supertypes of every other type.
  ///
  /// A line is `identifier | supertypes | extensions | MIME types | description`. If two lines share a tag, the earlier
  /// one is preferred.
  package static let basics = """
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
    com.microsoft.windows-executable | public.data public.executable | exe | \
    application/vnd.microsoft.portable-executable application/x-msdownload | Windows executable
    com.apple.application | public.executable | | | application
    com.apple.application-bundle | \
    com.apple.application com.apple.bundle com.apple.package | app | | application bundle
    com.apple.application-and-system-extension | com.apple.bundle com.apple.package | appex | | app extension
    com.apple.framework | com.apple.bundle | framework | | framework
    com.apple.plugin | com.apple.bundle com.apple.package | plugin | | plug-in
    com.apple.metadata-importer | com.apple.plugin | mdimporter | | Spotlight importer
    com.apple.quicklook-generator | com.apple.plugin | qlgenerator | | Quick Look generator
    com.apple.xpc-service | com.apple.bundle com.apple.package | xpc | | XPC service
    com.apple.systempreference.prefpane | com.apple.bundle com.apple.package | prefpane | | preference pane

    public.archive | public.data | | | archive
    public.zip-archive | public.archive | zip | application/zip application/x-zip-compressed | ZIP archive
    org.gnu.gnu-zip-tar-archive | org.gnu.gnu-zip-archive | tgz tar.gz | \
    application/x-compressed-tar | gzip-compressed tar archive
    org.gnu.gnu-zip-archive | public.archive | gz gzip | application/gzip application/x-gzip | gzip archive
    public.bzip2-archive | public.archive | bz2 bzip2 bz | \
    application/x-bzip2 application/bzip2 | bzip2 archive
    public.tar-bzip2-archive | public.bzip2-archive | tbz tbz2 tar.bz2 | \
    application/x-bzip2-compressed-tar | bzip2-compressed tar archive
    public.tar-archive | public.archive | tar | application/x-tar application/tar | tar archive
    public.cpio-archive | public.archive | cpio | application/x-cpio | cpio archive
    org.tukaani.xz-archive | public.archive | xz | application/x-xz | XZ archive
    org.tukaani.tar-xz-archive | org.tukaani.xz-archive | txz tar.xz | \
    application/x-xz-compressed-tar | XZ-compressed tar archive
    org.7-zip.7-zip-archive | public.archive | 7z | application/x-7z-compressed | 7-Zip archive
    com.rarlab.rar-archive | public.archive | rar | \
    application/vnd.rar application/x-rar-compressed | RAR archive
    com.facebook.zstandard-archive | public.archive | zst | application/zstd | Zstandard archive
    com.apple.archive | public.archive | aar | | Apple Archive
    com.sun.java-archive | public.zip-archive public.executable | jar | \
    application/java-archive application/x-java-archive | Java archive
    org.debian.deb-archive | public.archive | deb | \
    application/vnd.debian.binary-package application/x-deb | Debian package
    com.redhat.rpm-archive | public.archive | rpm | application/x-rpm | RPM package

    public.disk-image | public.archive | | | disk image
    com.apple.disk-image-udif | public.disk-image | dmg | application/x-apple-diskimage | Apple disk image
    public.iso-image | public.disk-image | iso | \
    application/x-iso9660-image application/x-cd-image | ISO 9660 disk image

    public.url | public.data | | | address
    public.file-url | public.url | | | file address
    public.bookmark | | | | bookmark
    com.apple.internet-location | public.data com.apple.resolvable | webloc inetloc | | web location
    com.microsoft.internet-shortcut | public.data com.apple.resolvable | url | \
    application/x-mswinurl | web shortcut
    """
}

extension UTType {
  /// Any item of a file system. `public.item`
  public static var item: UTType { UTType(core: "public.item") }
  /// A stream of bytes. `public.data`
  public static var data: UTType { UTType(core: "public.data") }
  /// A directory of any kind. `public.directory`
  public static var directory: UTType { UTType(core: "public.directory") }
  /// A directory that file managers show as a folder. `public.folder`
  public static var folder: UTType { UTType(core: "public.folder") }
  /// A volume, a file system as a whole. `public.volume`
  public static var volume: UTType { UTType(core: "public.volume") }
  /// A directory that is shown as one file; the supertype of package documents. `com.apple.package`
  public static var package: UTType { UTType(core: "com.apple.package") }
  /// A directory with a structure that a bundle prescribes. `com.apple.bundle`
  public static var bundle: UTType { UTType(core: "com.apple.bundle") }
  /// An item that leads to another one. `com.apple.resolvable`
  public static var resolvable: UTType { UTType(core: "com.apple.resolvable") }
  /// A symbolic link. `public.symlink`
  public static var symbolicLink: UTType { UTType(core: "public.symlink") }
  /// A place where a volume is mounted. `com.apple.mount-point`
  public static var mountPoint: UTType { UTType(core: "com.apple.mount-point") }
  /// An alias file. `com.apple.alias-file`
  public static var aliasFile: UTType { UTType(core: "com.apple.alias-file") }
  /// Bookmark data. `com.apple.bookmark`
  public static var urlBookmarkData: UTType { UTType(core: "com.apple.bookmark") }
  /// Any content of a document; the supertype of documents. `public.content`
  public static var content: UTType { UTType(core: "public.content") }
  /// Content that is made of several kinds of content. `public.composite-content`
  public static var compositeContent: UTType { UTType(core: "public.composite-content") }
}

extension UTType {
  /// A program or script that can be run. `public.executable`
  public static var executable: UTType { UTType(core: "public.executable") }
  /// A program file of Unix. `public.unix-executable`
  public static var unixExecutable: UTType { UTType(core: "public.unix-executable") }
  /// A program file of Windows. `com.microsoft.windows-executable`
  public static var exe: UTType { UTType(core: "com.microsoft.windows-executable") }
  /// An application. `com.apple.application`
  public static var application: UTType { UTType(core: "com.apple.application") }
  /// An application that is a bundle. `com.apple.application-bundle`
  public static var applicationBundle: UTType { UTType(core: "com.apple.application-bundle") }
  /// An extension of an application. `com.apple.application-and-system-extension`
  public static var applicationExtension: UTType {
    UTType(core: "com.apple.application-and-system-extension")
  }
  /// A framework bundle. `com.apple.framework`
  public static var framework: UTType { UTType(core: "com.apple.framework") }
  /// A plug-in bundle. `com.apple.plugin`
  public static var pluginBundle: UTType { UTType(core: "com.apple.plugin") }
  /// A plug-in that reads metadata for search. `com.apple.metadata-importer`
  public static var spotlightImporter: UTType { UTType(core: "com.apple.metadata-importer") }
  /// A plug-in that makes previews. `com.apple.quicklook-generator`
  public static var quickLookGenerator: UTType { UTType(core: "com.apple.quicklook-generator") }
  /// A service bundle. `com.apple.xpc-service`
  public static var xpcService: UTType { UTType(core: "com.apple.xpc-service") }
  /// A pane of system preferences. `com.apple.systempreference.prefpane`
  public static var systemPreferencesPane: UTType { UTType(core: "com.apple.systempreference.prefpane") }
}

extension UTType {
  /// An archive of files. `public.archive`
  public static var archive: UTType { UTType(core: "public.archive") }
  /// A ZIP archive. `public.zip-archive`
  public static var zip: UTType { UTType(core: "public.zip-archive") }
  /// Data that is compressed with gzip. `org.gnu.gnu-zip-archive`
  public static var gzip: UTType { UTType(core: "org.gnu.gnu-zip-archive") }
  /// Data that is compressed with bzip2. `public.bzip2-archive`
  public static var bz2: UTType { UTType(core: "public.bzip2-archive") }
  /// A tar archive. `public.tar-archive`
  public static var tarArchive: UTType { UTType(core: "public.tar-archive") }
  /// An Apple Archive. `com.apple.archive`
  public static var appleArchive: UTType { UTType(core: "com.apple.archive") }
  /// An image of a disk. `public.disk-image`
  public static var diskImage: UTType { UTType(core: "public.disk-image") }
}

extension UTType {
  /// An address. `public.url`
  public static var url: UTType { UTType(core: "public.url") }
  /// An address of a file. `public.file-url`
  public static var fileURL: UTType { UTType(core: "public.file-url") }
  /// A bookmark. `public.bookmark`
  public static var bookmark: UTType { UTType(core: "public.bookmark") }
  /// A file that leads to a web address. `com.apple.internet-location`
  public static var internetLocation: UTType { UTType(core: "com.apple.internet-location") }
  /// A file of Windows that leads to a web address. `com.microsoft.internet-shortcut`
  public static var internetShortcut: UTType { UTType(core: "com.microsoft.internet-shortcut") }
}
