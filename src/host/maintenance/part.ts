// The upkeep of repositories.
import type { Part } from '../../kernel/part.ts';
import { maintenanceWork } from './maintain-repository.ts';

export const maintenancePart: Part = { work: maintenanceWork };
