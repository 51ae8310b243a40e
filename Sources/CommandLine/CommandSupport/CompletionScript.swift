import ArgumentParser

extension CommandProgram {
  /// Returns the script of ArgumentParser with which a shell completes the command line of this program. It also
  /// completes the names of commands behind `help`.
  func completionScript(for shell: CompletionShell) -> String {
    let script = root.completionScript(for: shell)
    let names = CommandNames(program: self).all.joined(separator: " ")
    switch shell {
    case .bash:
      let function = "_docpkg_help() {\n"
      return script.replacing(
        function, with: function + "    COMPREPLY+=($(compgen -W '\(names)' -- \"${cur}\"))\n")
    case .zsh: return script.replacing("'*:subcommands:'", with: "'*:subcommands:(\(names))'")
    case .fish:
      return script
        + "\ncomplete -c 'docpkg' -n '__docpkg_should_offer_completions_for_positional \"docpkg help\" -eq 1' "
        + "-fa '\(names)'\n"
    default: return script
    }
  }
}
