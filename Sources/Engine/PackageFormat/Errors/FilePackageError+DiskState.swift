package import FoundationEssentials

extension FilePackageError {
  /// The document on disk after a save that failed.
  package enum DiskState: Sendable, Hashable {
    /// The operation changed nothing.
    case unchanged
    /// The document is as it was when it was opened.
    case asOpened
    /// The document is as a save of that date made it: the last one of this program since the opening.
    case asSaved(Date)
    /// The document is as another program made it, after the opening or the last save.
    case asOthersLeft
    /// The history has lost so many versions, and nothing else is changed.
    case versionsRemoved(Int)

    var sentence: String {
      switch self {
      case .unchanged: "The document on disk is unchanged."
      case .asOpened: "The document on disk is unchanged since it was opened."
      case .asSaved(let date): "The document on disk is as after the save of \(Self.text(of: date))."
      case .asOthersLeft: "The document on disk is as another program left it."
      case .versionsRemoved(let count):
        "\(counted(count, "version")) \(count == 1 ? "was" : "were") removed from its history; otherwise the document "
          + "on disk is unchanged."
      }
    }

    /// Returns a time of this day as `23:41`, and another one with its date, for people in this time zone.
    private static func text(of date: Date) -> Substring {
      let (then, now) = (localTime(date), localTime(Environment.current.now().date))
      // Without the seconds, and the day of both.
      return (then.prefix(10) == now.prefix(10) ? then.dropFirst(11) : then[...]).dropLast(3)
    }
  }
}
