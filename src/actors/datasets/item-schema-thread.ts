// The worker thread that checks items against a slow schema; it may be terminated at any time.
import { parentPort, workerData } from 'node:worker_threads';
import { parseItems } from '../export/item-texts.ts';
import { InvalidItems } from './invalid-items.ts';
import type { CheckTask, CheckResult } from './item-schema-client.ts';

const { fields, texts } = workerData as CheckTask;
const invalid = new InvalidItems(fields);
let position = 0;
for (const text of texts) for (const item of parseItems(text)) invalid.check(item, position++);
parentPort!.postMessage({ count: invalid.count, first: invalid.first } satisfies CheckResult);
