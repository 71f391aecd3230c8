/** Where configuration files, fixtures and the like are read from; the real one is core/io/config-files.ts. */
export interface ConfigFiles {
  /**
   * The bytes of a regular file, or null when nothing has this path. Throws `config-not-a-file` for a folder, device or
   * pipe, `config-missing` for a dangling link, `config-too-large` past `limit` bytes, `config-unreadable` otherwise.
   */
  read(path: string, options: { readonly limit: number }): Uint8Array | null;
}
