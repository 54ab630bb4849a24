/// ASCII classes of a byte.
extension UInt8 {
  package var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
  package var isASCIILetter: Bool { (0x41...0x5A).contains(self & 0xDF) }
  package var isASCIIAlphanumeric: Bool { isASCIIDigit || isASCIILetter }
}
