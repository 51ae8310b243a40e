import Foundation
import TestSupport
import Testing

@Suite("What surrounds a package", .tags(.process), .temporaryDirectory)
struct EnvironmentTests {
  /// Runs a script in which `$docpkg` is the command and `$demo` the folder of the demo's pictures.
  private func script(_ text: String) throws -> Run {
    let settings = "set -e; docpkg='\(try copyTool(into: folder))'; demo='\(demo.path)'\n"
    return try shell(settings + text)
  }

  @Test(.mounting) func `a full disk leaves the document as it was, and the error says so`() throws {
    let run = try script(
      """
      mkdir small
      unshare -m sh -ec '
        mount -t tmpfs -o size=300k tmpfs small
        cd small
        "$0" new D.imageNotes --text hello --image "$1/Lake.jpeg" --quiet
        find . -mindepth 1 ! -name .docpkg -printf "%p %y %m %T@ %i\\n" | sort > "$2/before"
        if "$0" edit D.imageNotes --add-image "$1/Dawn.png" --add-image "$1/Hut.jpeg" --add-image "$1/Dawn.png"
        then exit 9; else status=$?; fi
        find . -mindepth 1 ! -name .docpkg -printf "%p %y %m %T@ %i\\n" | sort > "$2/after"
        cmp "$2/before" "$2/after"
        exit $status
      ' "$docpkg" "$demo" "$PWD"
      """)
    #expect(run.status == 2, "\(run.errors)")
    #expect(run.errors.contains("no space left on device (writing 'Images/"))
    let advice = "The document on disk is unchanged since it was opened. Free some space and try again."
    #expect(run.errors.contains(advice))
  }

  @Test(.asNobody) func `no permission to write leaves the document as it was`() throws {
    let run = try script(
      """
      chmod 755 .
      "$docpkg" new D.imageNotes --text hello --quiet
      find D.imageNotes -printf "%p %y %m %T@ %i\\n" | sort > before
      if setpriv --reuid 65534 --clear-groups "$docpkg" edit D.imageNotes --text x
      then exit 9; else status=$?; fi
      find D.imageNotes -printf "%p %y %m %T@ %i\\n" | sort | cmp before -
      chmod 600 D.imageNotes/Text.txt
      if setpriv --reuid 65534 --clear-groups "$docpkg" show D.imageNotes; then exit 9; fi
      exit $status
      """)
    #expect(run.status == 2, "\(run.errors)")
    #expect(run.errors.contains("permission denied (opening its hidden folder). The document on disk"))
    #expect(run.errors.contains("permission denied (reading 'Text.txt')"))
  }

  @Test(.asNobody) func `a search names a folder whose metadata it may not read`() throws {
    let run = try script(
      """
      chmod 755 .
      "$docpkg" new A.imageNotes --text hello --quiet
      cp -r A.imageNotes Plain && rm -r Plain/.docpkg && chmod 600 Plain/Metadata.plist
      setpriv --reuid 65534 --clear-groups "$docpkg" list .
      """)
    #expect(run.output.contains("A.imageNotes"))
    #expect(run.errors.contains("The folder 'Plain' could not be searched: permission denied"))
    #expect(run.status == 2)
  }

  @Test(.enabled(if: Program.succeeds("strace -V"), "this needs strace"))
  func `an edit of a document that was edited before flushes five times, as its report says`() throws {
    let run = try script(
      """
      "$docpkg" new D.imageNotes --text hello --quiet
      "$docpkg" edit D.imageNotes --append first --quiet
      for command in 'edit D.imageNotes --append second' 'undo D.imageNotes' 'redo D.imageNotes' \\
        'edit D.imageNotes --append third'
      do
        strace -f -e trace=fsync,fdatasync,syncfs,sync,sync_file_range -o calls "$docpkg" $command --json > report
        grep -cE '(fsync|fdatasync|syncfs|sync)[(]' calls
        grep -o '"synchronizations" *: *[0-9]*' report | grep -o '[0-9]*$'
      done
      """)
    let counts = run.output.split(separator: "\n")
    #expect(counts == Array(repeating: "5", count: 8), "\(run.output)\(run.errors)")
  }

  @Test(.enabled(if: Program.succeeds("strace -V"), "this needs strace"))
  func `changing one of a thousand children touches that one and the metadata`() throws {
    let run = try script(
      """
      "$docpkg" new D.imageNotes --text hello --quiet
      i=0; while [ $i -lt 999 ]; do echo "child $i" > D.imageNotes/c$i.txt; i=$((i+1)); done
      echo new > new.txt
      strace -f -e trace=openat,linkat,creat,open -o all "$docpkg" edit D.imageNotes --set c500.txt=new.txt
      # But for the file that is the command's turn, in the folder where programs find each other.
      grep -vE '"\\.?[0-9A-F]{8}-[0-9A-F]{4}-' all > calls
      grep -c 'linkat(.*= 0' calls || true
      grep -c 'O_CREAT' calls
      grep -o '"c[0-9]*.txt", O_RDONLY' calls | sort -u
      grep 'Text.txt", O_' calls || echo "Text.txt was not opened"
      """)
    #expect(
      run.output.split(separator: "\n").dropFirst() == [
        // The save creates three files: the child, the metadata and the lock.
        "0", "3", "\"c500.txt\", O_RDONLY", "Text.txt was not opened",
      ], "\(run.output)\(run.errors)")
  }

  @Test(.enabled(if: Program.succeeds("strace -V"), "this needs strace"))
  func `an edit costs the same in a folder whose name has a dot`() throws {
    let run = try script(
      """
      for folder in plain-AbC123 plain.AbC123; do
        mkdir $folder; "$docpkg" new $folder/D.imageNotes --text hello --quiet
        for text in one two; do
          echo $text | strace -f -o calls "$docpkg" edit $folder/D.imageNotes --set Text.txt=- --quiet
        done
        grep -Ev 'resumed>|"/proc/' calls | grep -c 'openat('
      done
      """)
    let counts = run.output.split(separator: "\n").compactMap { Int($0) }
    #expect(counts.count == 2 && abs(counts[0] - counts[1]) < 10, "\(run.output)\(run.errors)")
  }

  @Test(.enabled(if: Program.succeeds("strace -V"), "this needs strace"))
  func `a sync looks once at an unchanged child, and twice if another child changed`() throws {
    let run = try script(
      """
      mkdir store Cloud
      "$docpkg" new Cloud/D.imageNotes --text hello --quiet
      i=0; while [ $i -lt 200 ]; do echo "child $i" > Cloud/D.imageNotes/c$i.txt; i=$((i+1)); done
      "$docpkg" cloud init store Cloud --device one > /dev/null
      # The date of a file tells its next state only if it is two seconds old.
      sleep 2.1
      "$docpkg" cloud sync Cloud > /dev/null
      looks() {
        strace -f -e trace=statx,newfstatat,openat,openat2 -o calls "$docpkg" cloud sync Cloud > /dev/null
        grep -c '"c100.txt"' calls || true
      }
      looks
      echo new > Cloud/D.imageNotes/c7.txt
      looks
      """)
    #expect(run.output.split(separator: "\n") == ["1", "2"], "\(run.output)\(run.errors)")
  }
}
