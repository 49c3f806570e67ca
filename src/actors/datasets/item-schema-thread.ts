// A thread that checks items against a schema which takes long: it may be ended at any time, and nobody waits for it.
import { parentPort, workerData } from 'node:worker_threads';
import { parseItems } from '../../kernel/export/item-texts.ts';
import { InvalidItems } from './invalid-items.ts';
import type { CheckTask, Checked } from './item-schema-client.ts';

const { fields, texts } = workerData as CheckTask;
const invalid = new InvalidItems(fields);
let position = 0;
for (const text of texts) for (const item of parseItems(text)) invalid.check(item, position++);
parentPort!.postMessage({ count: invalid.count, first: invalid.first } satisfies Checked);
