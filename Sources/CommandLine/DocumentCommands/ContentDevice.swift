import CommandSupport

/// Returns the name of the device whose edit a document in a container folder is; nil in another folder.
///
/// `docpkg-full` reads the container's state. If it fails, the document's own metadata has to do, and standard error has
/// the reason.
func contentDevice(at path: String) -> String? {
  if containerFolder(around: path) == nil { return nil }
  let answer = Companion.answer(of: ["cloud", "content-device", "--", path])
  if let problem = answer.problem { StandardError.write("\(problem)\n") }
  return answer.output
}
