// The upgrade report: which calls a newer version would change.
import type { Api } from '../../kernel/http/protocol.ts';
import type { Part } from '../../kernel/module.ts';
import { upgradeReportRoutes } from './routes.ts';

export function upgradeReportPart(api: () => Api): Part {
  return {
    tag: { name: 'upgrade report', description: 'Which calls a newer version would change' },
    routes: upgradeReportRoutes(api),
  };
}
