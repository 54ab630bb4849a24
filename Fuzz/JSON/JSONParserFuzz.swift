import CFuzzer
import JSON

/// What SwiftPM takes for the program's main.
@_cdecl("fuzz_json_main")
public func fuzz(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  var (count, arguments) = (count, arguments)
  return LLVMFuzzerRunDriver(&count, &arguments, fuzzJSON)
}

/// The JSON parser under libFuzzer: it must not crash, and what it has read must read back from what it writes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // Guard: libFuzzer's bytes stay as they are until this returns.
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let value = try? JSON.parse(bytes) else { return 0 }
  let written = value.serialized
  guard let again = try? JSON.parse(written), again.serialized == written else {
    fatalError("\(String(decoding: written, as: UTF8.self)) does not read back")
  }
  return 0
}
