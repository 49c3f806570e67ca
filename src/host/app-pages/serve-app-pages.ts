// Serves the pages on which people register and install apps.
import type { FastifyInstance } from 'fastify';
import type { Kernel } from '../../kernel/kernel.ts';
import { addInstallationRoutes } from './installation-routes.ts';
import { preparePages } from './page-scope.ts';
import { addRegisterRoutes } from './register-routes.ts';

export function serveAppPages(app: FastifyInstance, kernel: Kernel): void {
  app.addConstraintStrategy({
    name: 'accepts',
    storage() {
      const handlers = new Map<unknown, never>();
      return {
        get: (type: unknown) => handlers.get(type) ?? null,
        set: (type: unknown, handler: never) => void handlers.set(type, handler),
      };
    },
    // Clients of the API ask for JSON, or for anything.
    deriveConstraint: ({ headers }) => (headers.accept?.includes('text/html') ? 'html' : undefined),
    mustMatchWhenDerived: false,
    validate: () => true,
  });
  void app.register((scope, _options, done) => {
    preparePages(scope, kernel);
    addRegisterRoutes(scope, kernel);
    addInstallationRoutes(scope, kernel);
    done();
  });
}
