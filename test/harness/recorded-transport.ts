export { RecordedTransport, type Write } from "../../pkg/testing/recorded-transport.ts";
