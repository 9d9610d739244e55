// Forgetting the oldest of many keys of a map.
import { cpuMicros, report, task } from '../measure.mjs';

function filled() {
  const keys = new Map();
  for (let key = 0; key < task.keys; key += 1) keys.set(`key ${key}`, key);
  return keys;
}

function microsPerKey(forgetOldest) {
  const keys = filled();
  const order = keys.keys();
  const begun = cpuMicros();
  for (let added = 0; added < task.added; added += 1) {
    keys.set(`new key ${added}`, added);
    forgetOldest(keys, order);
  }
  return (cpuMicros() - begun) / task.added;
}

const again = (keys) => keys.delete(keys.keys().next().value);
const kept = (keys, order) => keys.delete(order.next().value);
report('tried-forgetting', 'a new iterator each time', microsPerKey(again));
report('tried-forgetting', 'one iterator, kept', microsPerKey(kept));
