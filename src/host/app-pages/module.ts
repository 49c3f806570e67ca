// The pages on which people register, install and change apps.
import type { Module } from '../../kernel/http/module.ts';
import { installationPages } from './installation-routes.ts';
import { registerPages } from './register-routes.ts';
import { settingsPages } from './settings-routes.ts';

export const appPageModule: Module = { pages: [...registerPages, ...settingsPages, ...installationPages] };
