// Operations whose documents have no example of a request or of a reply, with the reason.
export const WITHOUT_EXAMPLE: Readonly<Record<string, string>> = {};
