// Row 11 of the catalogue: an app is uninstalled in the background, and the reply says so.
import { operationChange } from '../../../kernel/versions/version.ts';

export const installationDeletionAccepted = operationChange({
  version: '2026-03-10',
  title: 'Deleting an installation answers 202 instead of 204',
  advice: 'Accept 202, and expect the installation to be gone a moment later.',
  operations: ['apps/delete-installation'],
  status: { now: 202, before: 204 },
});
