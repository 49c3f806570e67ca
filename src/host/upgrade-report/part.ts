// The upgrade report: which calls a newer version would change.
import type { Api } from '../../kernel/dialect.ts';
import type { Part } from '../../kernel/part.ts';
import { upgradeReportRoutes } from './routes.ts';

export function upgradeReportPart(api: () => Api): Part {
  return {
    tag: { name: 'upgrade report', description: 'Which calls a newer version would change' },
    routes: upgradeReportRoutes(api),
  };
}
