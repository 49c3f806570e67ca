// Concurrent changes on PostgreSQL. Each engine has a file of its own, because they take long.
import { onEngine } from '../engines.ts';
import { declareConcurrentChanges } from './concurrent-changes.ts';

onEngine('postgres', declareConcurrentChanges);
