// A model that imports os compiles with this module, as far as it logs.
@_exported public import AppleOSLog
