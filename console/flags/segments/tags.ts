// Tags as they are typed: separated by commas.
export function readTags(text: string): string[] {
  return [...new Set(text.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '');
}

export function writeTags(tags: readonly string[]): string {
  return tags.join(', ');
}
