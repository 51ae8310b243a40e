package import FoundationEssentials
import Glibc

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
    private static func text(of date: Date) -> String {
      let (then, now) = (local(date), local(Environment.current.now().date))
      func padded(_ number: Int32) -> String { (number < 10 ? "0" : "") + "\(number)" }
      let time = "\(padded(then.tm_hour)):\(padded(then.tm_min))"
      if then.tm_year == now.tm_year && then.tm_yday == now.tm_yday { return time }
      return "\(then.tm_year + 1900)-\(padded(then.tm_mon + 1))-\(padded(then.tm_mday)) \(time)"
    }

    private static func local(_ date: Date) -> tm {
      var seconds = time_t(max(-1e15, min(1e15, date.timeIntervalSince1970)))
      var parts = tm()
      localtime_r(&seconds, &parts)
      return parts
    }
  }
}
