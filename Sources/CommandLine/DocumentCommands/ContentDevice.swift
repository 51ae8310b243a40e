import CommandSupport

/// Returns the name of the device whose edit a document in a container folder is; nil in another folder.
///
/// `docpkg-full` reads the container's state. Without it, the document's own metadata has to do.
func contentDevice(at path: String) -> String? {
  if containerFolder(around: path) == nil { return nil }
  return Companion.answer(of: ["cloud", "content-device", path])
}
