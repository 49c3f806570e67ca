// Operations whose documents have no example of a reply, with the reason.
const ITSELF = 'Its reply is the document that the example would be in.';
const BYTES = 'Its reply is bytes that are no text.';

export const WITHOUT_EXAMPLE: Readonly<Record<string, string>> = {
  downloadBackup: 'a file of many megabytes',
  getOpenapiSpec: ITSELF,
  openapi_get: ITSELF,
  'meta/get-openapi': ITSELF,
  getOpenApi: ITSELF,
  streamChanges: 'Its reply goes on for as long as somebody reads it.',
  keyValueStore_records_get: BYTES,
  'repos/get-archive': BYTES,
  listSettings: 'Its reply has all settings, with folders of the machine.',
  'emojis/get': 'Its reply has the names of all emojis.',
  'orgs/list-custom-roles':
    'Only an older version has it. Its replies are those of orgs/list-custom-repo-roles.',
};
