// Row 8 of the catalogue, e-mail addresses: with the beta media type they were plain text.
import { change } from '../../../kernel/versions/version.ts';
import { Type } from '../../../kernel/schema/schema.ts';
import { Email } from '../../users/email.ts';
import { BETA } from '../select-version.ts';

export const betaEmailsRemoved = change({
  version: '2026-03-10',
  title: 'Media type `application/vnd.<vendor>.beta+json` without effect: e-mail addresses are objects',
  advice: 'Read the property `email` of each entry.',
  only: BETA,
  schema: Email,
  before: Type.String({ $id: 'email' }),
  down: ({ email }) => email,
});
