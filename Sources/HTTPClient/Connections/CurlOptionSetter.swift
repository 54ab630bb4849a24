internal import CCurl
internal import Clock

/// Sets options of one easy handle and keeps the first refusal.
struct CurlOptionSetter {
  let curl: UnsafeMutableRawPointer
  private(set) var result = CURLE_OK

  init(curl: UnsafeMutableRawPointer) { self.curl = curl }

  mutating func note(_ code: CURLcode) { if result == CURLE_OK { result = code } }
  mutating func long(_ option: CURLoption, _ value: Int) { note(dragoman_curl_set_long(curl, option, value)) }
  mutating func offset(_ option: CURLoption, _ value: Int) {
    note(dragoman_curl_set_offset(curl, option, curl_off_t(value)))
  }
  mutating func string(_ option: CURLoption, _ value: String) {
    note(dragoman_curl_set_string(curl, option, value))
  }
  mutating func pointer(_ option: CURLoption, _ value: UnsafeMutableRawPointer?) {
    note(dragoman_curl_set_pointer(curl, option, value))
  }
  mutating func list(_ option: CURLoption, _ value: UnsafeMutablePointer<curl_slist>?) {
    note(dragoman_curl_set_list(curl, option, value))
  }
  mutating func callback(_ option: CURLoption, _ value: @escaping dragoman_curl_data_callback) {
    note(dragoman_curl_set_data_callback(curl, option, value))
  }
}

extension Duration {
  /// Whole milliseconds, at least 1, because libcurl takes 0 for no limit.
  var curlMilliseconds: Int { max(1, Int(clamping: wholeMilliseconds)) }
}
