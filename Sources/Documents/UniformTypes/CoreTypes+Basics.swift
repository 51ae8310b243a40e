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
