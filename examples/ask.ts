/**
 * Asks a person where a release goes and waits for the answer. Run it again after a crash: same question, no second prompt.
 * Needs a `handraise.yaml` with a person called alice.
 */
import { createBridge } from "handraise";

const bridge = await createBridge("handraise.yaml");
const question = await bridge.ask({
  to: "alice",
  text: "Where does release 42 go?",
  options: ["staging", "prod"],
  key: "release-42",
  timeout: "2h",
});
const outcome = await question.outcome();
console.log(outcome.status === "answered" ? `${outcome.by.name} chose ${outcome.value}` : `Nobody chose: ${outcome.status}`);
await bridge.close();
