// The worker thread that checks items against a slow schema; it may be terminated at any time.
import { serveTasks } from '../../kernel/threads/serve-tasks.ts';
import { parseItems } from '../export/input.ts';
import { InvalidItems, loadChecker } from './invalid-items.ts';
import type { ItemCheckResult, ItemCheckTask } from './item-checker.ts';

loadChecker();

serveTasks<ItemCheckTask, ItemCheckResult>(({ fields, texts }, port) => {
  const invalid = new InvalidItems(fields);
  let position = 0;
  for (const text of texts) for (const item of parseItems(text)) invalid.check(item, position++);
  port.send({ count: invalid.count, first: invalid.first });
});
