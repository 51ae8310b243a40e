/// The program's exit status, with the same meaning for every command.
package enum ExitStatus {
  package static let different: Int32 = 1
  package static let failed: Int32 = 2
  package static let usage: Int32 = 64

  package static let help = """
    Exit status: 0 done; 1 differences, damage or conflict found; 2 failed, nothing lost; 64 usage.
    """
}
