forget-admins-only = Solo los administradores de este grupo pueden hacerme olvidar lo que se dijo aquí.
forget-members = Solo los administradores de este grupo pueden hacerme olvidar lo que se dijo aquí. Tus propias palabras las puedes retirar tú: responde a tu mensaje con /forget.
