// The upkeep of repositories and gists.
import type { Module } from '../../kernel/http/module.ts';
import { maintenanceHandler, MAINTAINED_GISTS, MAINTAINED_REPOSITORIES } from './maintain.ts';

export const maintenanceModule: Module = {
  work: (kernel) => ({
    handlers: {
      [MAINTAINED_REPOSITORIES.work]: maintenanceHandler(kernel, MAINTAINED_REPOSITORIES),
      [MAINTAINED_GISTS.work]: maintenanceHandler(kernel, MAINTAINED_GISTS),
    },
  }),
};
