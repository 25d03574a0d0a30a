#![doc = "See the check of the same name."]
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| events_fuzz::grpc_message(input));
