// Changes at the same time on SQLite. Each engine has a file of its own, as they take their time.
import { onEngine } from '../engines.ts';
import { declareWalk } from './walk.ts';

onEngine('sqlite', declareWalk);
