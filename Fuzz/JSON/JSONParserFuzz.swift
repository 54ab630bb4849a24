import CFuzzer
import JSON

/// The entry point, which SwiftPM renames to the program's main.
@_cdecl("fuzz_json_main")
public func fuzz(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  var (count, arguments) = (count, arguments)
  return LLVMFuzzerRunDriver(&count, &arguments, fuzzJSON)
}

/// Fuzzes the JSON parser: it must not crash, and a parsed value must survive writing and parsing again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // Guard: libFuzzer does not change the bytes until this function returns.
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let outline = JSONOutline(bytes)
  guard let value = try? JSON.parse(bytes) else { return 0 }
  guard outline != nil else { fatalError("JSON without an outline") }
  let written = value.serialized
  guard let again = try? JSON.parse(written), again.serialized == written else {
    fatalError("\(String(decoding: written, as: UTF8.self)) does not read back")
  }
  return 0
}
