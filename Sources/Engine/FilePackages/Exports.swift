// `import FilePackages` gives a program what it needs of the floors below: the tree, saving, and the values of both.
@_exported public import FileTrees
@_exported public import PackageFormat
@_exported public import PackageSaving
@_exported public import PackageWatching
