transfer-admins-export = Solo los administradores de este grupo pueden exportar su memoria.
transfer-admins-import = Solo los administradores de este grupo pueden importar a su memoria.
