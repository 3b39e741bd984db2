// Keeps what a real API server (make real) says to the corpus. To be run again whenever the corpus has a new case.
import { askRealServer } from "./real-answers.ts";
import { writeRecorded } from "./recorded.ts";

writeRecorded(await askRealServer());
