// What people do with flags every day: see before they save, try contexts, compare environments.
import type { Module } from '../../kernel/http/module.ts';
import { environmentComparisonRoutes } from './compare-routes.ts';
import { evaluateRoutes } from './evaluate-routes.ts';
import { namedFlagRoutes } from './named-routes.ts';
import { flagPermissionRoutes } from './permission-routes.ts';
import { previewRoutes } from './preview-routes.ts';
import { stateRoutes } from './states-routes.ts';

export const flagWorkModule: Module = {
  tag: {
    name: 'Flags',
    description: 'Previews of changes, evaluations with their reasons, and environments compared',
  },
  routes: [
    ...previewRoutes,
    ...evaluateRoutes,
    ...stateRoutes,
    ...environmentComparisonRoutes,
    ...flagPermissionRoutes,
    ...namedFlagRoutes,
  ],
};
