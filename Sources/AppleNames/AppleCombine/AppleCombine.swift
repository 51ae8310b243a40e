// A model that imports Combine compiles with this module as it is: it is OpenCombine.
@_exported public import AppleFoundation
@_exported public import OpenCombine
@_exported public import OpenCombineDispatch
@_exported public import OpenCombineFoundation
