import Foundation
import TestSupport
import Testing

@Suite("Standard input and output that are closed or full", .tags(.process), .temporaryDirectory)
struct DescriptorTests {
  private func script(_ text: String) throws -> Run {
    try shell("docpkg=\(tool.path)\n" + text)
  }

  /// Redirections that make standard output fail, with the reason in the message.
  static let outputs = [(">&-", "it is closed"), ("> /dev/full", "No space left on device")]

  @Test(arguments: outputs)
  func `a change that is made is done, although nobody hears of it`(
    _ output: String, _ reason: String
  ) throws {
    let result = try script(
      """
      for command in 'new D.imageNotes --text x' 'edit D.imageNotes --append y' 'copy D.imageNotes E.imageNotes' \\
        'export D.imageNotes D.zip' 'import D.zip F.imageNotes' 'undo D.imageNotes' 'redo D.imageNotes --json' \\
        'versions prune D.imageNotes' 'repair D.imageNotes' 'recover D.imageNotes'
      do
        $docpkg $command \(output) 2> errors || echo "$command: $?"
        grep -q '^docpkg: done, but the report could not be written to standard output: \(reason)$' errors ||
          { echo "$command"; cat errors; }
      done
      $docpkg cat D.imageNotes Text.txt; $docpkg verify D.imageNotes E.imageNotes F.imageNotes -q
      """)
    #expect(result.output == "x\ny\n" && result.status == 0, "\(result.output)\(result.errors)")
  }

  @Test func `a change is done, although the reader of its report has gone`() throws {
    let result = try script(
      """
      for command in 'new D.imageNotes --text x' 'edit D.imageNotes --append y --json'
      do
        { sleep 0.2; $docpkg $command 2> errors; echo $? > status; } | true
        while [ ! -s status ]; do sleep 0.1; done
        cat status errors; rm status
      done
      $docpkg cat D.imageNotes Text.txt
      """)
    let warning = "0\ndocpkg: done, but the report could not be written to standard output: Broken pipe\n"
    #expect(result.output == "\(warning)\(warning)x\ny\n", "\(result.output)\(result.errors)")
  }

  @Test func `a program that prints news ends with their reader`() throws {
    let result = try script(
      """
      mkdir store C; $docpkg cloud init store C > log; $docpkg new C/D.imageNotes --text x -q
      { sleep 0.2; $docpkg cloud sync C --watch; echo $? > status; } | true
      while [ ! -s status ]; do sleep 0.1; done
      cat status
      """)
    #expect(result.output == "141\n", "\(result.output)\(result.errors)")
  }

  @Test(arguments: outputs)
  func `a command that only prints has failed`(_ output: String, _ reason: String) throws {
    let result = try script(
      """
      $docpkg new D.imageNotes --text x -q
      mkdir store C
      $docpkg cloud init store C > log
      $docpkg copy D.imageNotes C/D.imageNotes -q
      $docpkg cloud sync C -q
      for command in 'cat D.imageNotes Text.txt' 'tree D.imageNotes' 'show D.imageNotes' 'info D.imageNotes --json' \\
        'edit D.imageNotes --append y --dry-run' 'list .' 'verify D.imageNotes' 'help' '--version' \\
        'cloud list C' 'cloud status C' 'cloud devices C' 'cloud devices C --json'
      do
        $docpkg $command \(output) 2> errors
        echo $?
        grep -q '^docpkg: standard output could not be written: \(reason)$' errors || cat errors
      done
      """)
    #expect(result.output == String(repeating: "2\n", count: 13), "\(result.output)\(result.errors)")
  }

  @Test func `what is printed never goes into a file of a document`() throws {
    let result = try script(
      """
      for closed in '>&-' '2>&-' '>&- 2>&-' '<&-' '<&- >&- 2>&-'
      do
        eval "$docpkg new D.imageNotes --text hello $closed"
        eval "$docpkg edit D.imageNotes --append again $closed"
        eval "$docpkg edit D.imageNotes --remove none $closed"
        eval "$docpkg export D.imageNotes D.tar $closed"
        eval "$docpkg import D.tar E.imageNotes $closed"
        for document in D.imageNotes E.imageNotes
        do
          $docpkg cat $document Text.txt > text
          printf 'hello\\nagain\\n' | cmp - text
          $docpkg verify $document -q
        done
        grep -lr 'docpkg:\\|wrote' D.imageNotes E.imageNotes D.tar
        rm -r D.imageNotes E.imageNotes D.tar
      done > log 2>&1
      grep -v '^docpkg: \\|: wrote \\|.tar: \\|E.imageNotes: ' log
      """)
    #expect(result.output.isEmpty && result.errors.isEmpty, "\(result.output)\(result.errors)")
  }

  @Test func `an archive needs a standard output that is open`() throws {
    let result = try script(
      "$docpkg new D.imageNotes --text x -q; $docpkg export D.imageNotes - --format zip >&-")
    #expect(
      result.status == 2 && result.errors == "docpkg: Standard output could not be written: it is closed.\n"
    )
  }

  @Test func `standard input that is closed is no empty text`() throws {
    let result = try script("$docpkg new D.imageNotes --text-file - <&-")
    #expect(result.status == 2 && result.errors.contains("Standard input could not be read: it is closed."))
    #expect(!fileExists("D.imageNotes"))
  }
}
