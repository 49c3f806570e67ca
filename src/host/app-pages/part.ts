// The pages on which people register, install and change apps.
import type { Part } from '../../kernel/module.ts';
import { installationPages } from './installation-routes.ts';
import { registerPages } from './register-routes.ts';
import { settingsPages } from './settings-routes.ts';

export const appPagePart: Part = { pages: [...registerPages, ...settingsPages, ...installationPages] };
