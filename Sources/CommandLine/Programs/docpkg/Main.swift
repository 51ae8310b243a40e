import CommandSupport
import DocumentCommands

@main
enum Main {
  static func main() { Docpkg.program(Docpkg.self).run() }
}
