extension ImageHeader {
  /// The turn of the stored pixels for display.
  ///
  /// The numbers are those of Exif and TIFF 6.0 (tag 274), the names those of Apple's `CGImagePropertyOrientation`.
  public enum Orientation: Int, Sendable, CaseIterable, Codable {
    /// As stored.
    case up = 1
    /// Left and right exchanged.
    case upMirrored = 2
    /// Turned by 180°.
    case down = 3
    /// Top and bottom exchanged.
    case downMirrored = 4
    /// Rows and columns exchanged: mirrored as ``upMirrored``, then turned by 90° counter-clockwise.
    case leftMirrored = 5
    /// Turned by 90° clockwise.
    case right = 6
    /// Mirrored as ``upMirrored``, then turned by 90° clockwise.
    case rightMirrored = 7
    /// Turned by 90° counter-clockwise.
    case left = 8

    /// Whether width and height change places on display.
    public var swapsSides: Bool {
      switch self {
      case .up, .upMirrored, .down, .downMirrored: false
      case .leftMirrored, .right, .rightMirrored, .left: true
      }
    }
  }
}

extension ImageHeader.Orientation {
  /// An orientation as one exchange of left and right, followed by quarter turns clockwise.
  ///
  /// Every sequence of turns and exchanges is equal to such steps. HEIF's properties add up in this form.
  struct Steps {
    private var mirrored = false
    private var quarterTurns = 0

    /// Turns the picture counter-clockwise.
    mutating func turnLeft(quarters: Int) {
      quarterTurns = (quarterTurns + 4 - quarters % 4) % 4
    }

    /// Exchanges left and right of the picture. An exchange after a turn equals the opposite turn after an exchange.
    mutating func mirrorLeftToRight() {
      mirrored.toggle()
      quarterTurns = (4 - quarterTurns) % 4
    }

    /// Exchanges top and bottom of the picture.
    mutating func mirrorTopToBottom() {
      mirrorLeftToRight()
      turnLeft(quarters: 2)
    }

    /// The orientation that is equal to the steps.
    var orientation: ImageHeader.Orientation {
      switch (mirrored, quarterTurns) {
      case (false, 1): .right
      case (false, 2): .down
      case (false, 3): .left
      case (false, _): .up
      case (true, 1): .rightMirrored
      case (true, 2): .downMirrored
      case (true, 3): .leftMirrored
      case (true, _): .upMirrored
      }
    }
  }
}
