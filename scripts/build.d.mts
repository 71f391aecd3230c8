export function buildAll(options?: { readonly clean?: boolean }): Promise<void>;
